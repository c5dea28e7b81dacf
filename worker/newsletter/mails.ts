import { html } from '../http/html'
import type { Env } from '../env'
import { mailButton, mailLayout } from '../mail/layout'
import { notice } from '../mail/notice'
import type { Notice } from '../mail/outbox'
import { cutText } from '../domain/words/short-lists'
import type { NewsletterIssue } from './issue'

type To = { to: string; token: string; days: number }
const maxSummary = 220

export const confirmSubscriptionNotice = (env: Env, { to, token, days }: To) =>
  subscriptionNotice(env, { to, token }, 'Confirm your subscription', {
    paragraphs: [
      `The newsletter of Earshot was requested with the address ${to}: each Monday the ten vulnerabilities that mattered.`,
      `Nothing is sent before you confirm it, within ${days} days. If you did not request it, there is nothing to do.`,
    ],
    action: { label: 'Confirm the subscription', url: `${env.APP_URL}/public/newsletter/confirm/${token}` },
  })

export const alreadySubscribedNotice = (env: Env, { to, token }: To) =>
  subscriptionNotice(env, { to, token }, 'You are subscribed already', {
    paragraphs: [
      `The newsletter of Earshot was requested with the address ${to}, which receives it already.`,
      'There is nothing to do. The button ends the subscription.',
    ],
    action: { label: 'Unsubscribe', url: unsubscribeUrl(env, token) },
  })

type Words = Pick<Parameters<typeof notice>[0], 'paragraphs' | 'action'>

async function subscriptionNotice(env: Env, reader: Omit<To, 'days'>, title: string, words: Words): Promise<Notice> {
  const mail = await notice({ to: reader.to, kind: 'newsletter', title, ...words, footer: footer(env, reader) })
  return { ...mail, headers: unsubscribeHeaders(env, reader.token) }
}

export async function issueMail(env: Env, { day, items }: NewsletterIssue) {
  const [first] = items
  const what = items.length === 1 ? 'vulnerability that mattered' : `${items.length} vulnerabilities that mattered`
  const title = `The ${what} this week`
  const url = (id: number) => `${env.APP_URL}/public/vulns/${id}`
  const all = `${env.APP_URL}/public/search`
  const body = await html`
    <p class="quiet">Week until ${day}</p>
    <ol style="margin:0;padding-left:22px">
      ${items.map(
        ({ id, name, summary, reasons }) =>
          html`<li style="margin:0 0 14px">
            <a href="${url(id)}"><b>${name}</b></a
            ><br />${reasons.join(' · ')}<br />
            <span class="quiet">${cutText(summary, maxSummary)}</span>
          </li>`,
      )}
    </ol>
    ${mailButton({ label: 'Search all vulnerabilities', url: all })}
  `
  const text = [
    title,
    `Week until ${day}`,
    ...items.map(({ id, name, summary, reasons }, at) =>
      [`${at + 1}. ${name}`, reasons.join(' · '), cutText(summary, maxSummary), url(id)].join('\n'),
    ),
    `Search all vulnerabilities: ${all}`,
  ]
  const preview = items.map(({ name }) => name).join(', ')
  return async (to: string, token: string): Promise<Notice> => ({
    to,
    kind: 'newsletter',
    subject: `[Earshot] The ${what}: ${first?.name ?? ''}${items.length > 1 ? ' and others' : ''}`,
    html: await mailLayout({ title, body, footer: footer(env, { to, token }), preview }),
    text: [...text, `-- \n${footer(env, { to, token })}`].join('\n\n'),
    headers: unsubscribeHeaders(env, token),
  })
}

const unsubscribeUrl = (env: Env, token: string) => `${env.APP_URL}/public/newsletter/unsubscribe/${token}`

const footer = (env: Env, { to, token }: Omit<To, 'days'>) =>
  `This was sent to ${to} because the address was entered at ${env.APP_URL}.\nUnsubscribe: ${unsubscribeUrl(env, token)}`

/** RFC 8058: the mail program of the reader unsubscribes by one POST. */
const unsubscribeHeaders = (env: Env, token: string) => ({
  'List-Unsubscribe': `<${unsubscribeUrl(env, token)}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
})
