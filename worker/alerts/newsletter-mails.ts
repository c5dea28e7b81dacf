import type { Env } from '../env'
import { notice } from '../mail/notice'
import type { Notice } from '../mail/outbox'

type To = { to: string; token: string; days: number }

export const confirmSubscriptionNotice = async (env: Env, { to, token, days }: To): Promise<Notice> => ({
  ...(await notice({
    to,
    kind: 'newsletter',
    title: 'Confirm your subscription',
    paragraphs: [
      'Somebody, hopefully you, asked for the newsletter of Earshot with this address.',
      `Nothing is sent before you confirm it, within ${days} days. If it was not you, there is nothing to do.`,
    ],
    action: { label: 'Confirm the subscription', url: `${env.APP_URL}/public/newsletter/confirm/${token}` },
    footer: footer(env, { to, token }),
  })),
  headers: unsubscribeHeaders(env, token),
})

export const alreadySubscribedNotice = async (env: Env, { to, token }: To): Promise<Notice> => ({
  ...(await notice({
    to,
    kind: 'newsletter',
    title: 'You are subscribed already',
    paragraphs: [
      'Somebody, hopefully you, asked for the newsletter of Earshot with this address, which receives it already.',
      'There is nothing to do. The link below ends it.',
    ],
    action: { label: 'Unsubscribe', url: unsubscribeUrl(env, token) },
    footer: footer(env, { to, token }),
  })),
  headers: unsubscribeHeaders(env, token),
})

const unsubscribeUrl = (env: Env, token: string) => `${env.APP_URL}/public/newsletter/unsubscribe/${token}`

const footer = (env: Env, { to, token }: Omit<To, 'days'>) =>
  `This was sent to ${to} because the address was entered at ${env.APP_URL}. Unsubscribe: ${unsubscribeUrl(env, token)}`

/** RFC 8058: the mail program of the reader unsubscribes by one POST. */
const unsubscribeHeaders = (env: Env, token: string) => ({
  'List-Unsubscribe': `<${unsubscribeUrl(env, token)}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
})
