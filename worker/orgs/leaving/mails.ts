import type { TrialNews } from '../../domain/alerts/trial-news'
import type { Env } from '../../env'
import { adminNotice } from '../../mail/notice'

type About = { to: string; org_name: string; day: string }

export const removalNotice = (env: Env, { to, org_name, day, by }: About & { by: string }) =>
  adminNotice({
    to,
    org_name,
    kind: 'org_removal',
    title: `${org_name} is removed on ${day}`,
    paragraphs: [
      `${by} asked for the removal of ${org_name}. On ${day} all that belongs to it is deleted, and cannot be brought back.`,
      'Until then it can be read and exported, and its alerts and reports pause. An admin of it can restore it at any time.',
    ],
    action: { label: 'Look at it, or restore it', url: `${env.APP_URL}/settings` },
  })

type Words = (about: Omit<About, 'to'>) => { title: string; paragraphs: string[] }

const trialWords: Record<TrialNews, Words> = {
  week: ({ org_name, day }) => ({
    title: `The trial of ${org_name} ends on ${day}`,
    paragraphs: [
      `On ${day} the free trial ends. After that the organization can be read and exported, and its alerts pause.`,
    ],
  }),
  day: ({ org_name }) => ({
    title: `The trial of ${org_name} ends within a day`,
    paragraphs: ['After that the organization can be read and exported, and its alerts pause. Nothing is deleted yet.'],
  }),
  end: ({ org_name, day }) => ({
    title: `The trial of ${org_name} is over`,
    paragraphs: [
      'The organization can be read, exported and removed, and its alerts pause.',
      `On ${day} it is removed with all that belongs to it. You are told again two weeks before.`,
    ],
  }),
  removal: ({ org_name, day }) => ({
    title: `${org_name} is removed on ${day}`,
    paragraphs: [
      `Its trial ended long ago. On ${day} all that belongs to it is deleted, and cannot be brought back.`,
      'Export what you want to keep. An admin of it can keep it for another while.',
    ],
  }),
}

export const trialNewsNotice = (env: Env, { to, news, ...about }: About & { news: TrialNews }) =>
  adminNotice({
    to,
    org_name: about.org_name,
    kind: 'trial_news',
    ...trialWords[news](about),
    action: { label: 'Open Earshot', url: `${env.APP_URL}/settings` },
  })
