import type { Db } from '../db/open'
import type { Env } from '../env'
import { notice } from '../mail/notice'
import { queueNotice } from '../mail/within'
import type { Scene } from './audit'

type Given = { to: string; username: string; title: string; text: string }

export const securityNotice = (env: Env, { to, username, title, text }: Given) =>
  notice({
    to,
    kind: 'security',
    title,
    username,
    paragraphs: [text, 'If it was not you, set a new password at once and end all sessions in the settings.'],
    action: { label: 'Open the settings', url: `${env.APP_URL}/settings` },
    footer: 'You receive this because it concerns the security of your account.',
  })

type Owner = { id: number; email: string; username: string }

export const tellOwner = async (
  db: Db,
  { env, now }: Pick<Scene, 'env' | 'now'>,
  { id, email, username }: Owner,
  news: Pick<Given, 'title' | 'text'>,
) => queueNotice(db, id, await securityNotice(env, { to: email, username, ...news }), now)

export const passwordChange = {
  title: 'Your password was changed',
  text: 'The password of this account was changed.',
}

type Person = { to: string; username: string }

/** To the new address: only its reader can say that it is theirs. */
export const confirmAddressNotice = (env: Env, { to, username, token }: Person & { token: string }) =>
  notice({
    to,
    kind: 'email_change',
    title: 'Confirm your new address',
    username,
    paragraphs: [
      `The user of this account entered ${to} as the new address of the account.`,
      'The link works once, within a day. If you do not know the account, there is nothing to do.',
    ],
    action: { label: 'Confirm this address', url: `${env.APP_URL}/email/${token}` },
    footer: 'You receive this because this address was entered in an account.',
  })

export const addressAskedNotice = (env: Env, { to, username, email }: Person & { email: string }) =>
  securityNotice(env, {
    to,
    username,
    title: 'Your e-mail address is about to change',
    text: `${email} was entered as the new address of this account. It counts once it is confirmed from there.`,
  })

export const addressChangedNotice = (env: Env, { to, username, email }: Person & { email: string }) =>
  securityNotice(env, {
    to,
    username,
    title: 'Your e-mail address was changed',
    text: `The address of this account is ${email} now.`,
  })

export const lostPasswordNotice = (env: Env, { to, username, token }: Person & { token: string }) =>
  notice({
    to,
    kind: 'reset',
    title: 'Set a new password',
    username,
    paragraphs: [
      'A new password was requested for this account.',
      'The link works once, within an hour. If you did not request it, there is nothing to do.',
    ],
    action: { label: 'Set a new password', url: `${env.APP_URL}/newpassword?token=${token}` },
    footer: 'You receive this because this address belongs to an account.',
  })
