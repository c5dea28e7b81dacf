import type { Env } from '../env'
import { notice } from '../mail/notice'

type To = { to: string }
const unasked = 'If you did not expect this message, you may ignore it.'

export const invitationNotice = (env: Env, { to, org_name, by, token, days }: To & Invited) =>
  notice({
    to,
    kind: 'invitation',
    title: `You are invited to ${org_name}`,
    paragraphs: [
      `${by} invites you to the organization ${org_name} on Earshot, which watches for vulnerabilities in the software that it runs.`,
      `You become a member only when you accept. The link works once, for ${days} days.`,
    ],
    action: { label: 'Answer the invitation', url: `${env.APP_URL}/registration?token=${token}` },
    footer: `This was sent to ${to} because ${by} entered the address. ${unasked}`,
  })
type Invited = { org_name: string; by: string; token: string; days: number }

export const alertAddressNotice = (env: Env, { to, org_name, by, token }: To & Omit<Invited, 'days'>) =>
  notice({
    to,
    kind: 'alert_address',
    title: `Confirm this address for the alerts of ${org_name}`,
    paragraphs: [
      `${by} entered this address for the vulnerability alerts of ${org_name} on Earshot.`,
      'Nothing is sent to it before you confirm, within three days. If you do not want them, there is nothing to do.',
    ],
    action: { label: 'Confirm this address', url: `${env.APP_URL}/email/${token}?for=alerts` },
    footer: `This was sent to ${to} because ${by} entered the address. ${unasked}`,
  })

// A stranger wrote the organization's name in a public form, so it has no place in a mail to somebody else.
export const trialNotice = (env: Env, { to, token, hours }: To & { token: string; hours: number }) =>
  notice({
    to,
    kind: 'trial',
    title: 'Confirm your free trial',
    paragraphs: [
      `A free trial of Earshot was requested with the address ${to}.`,
      `Choose a username and a password to begin. The link works once, for ${hours} hours.`,
    ],
    action: { label: 'Begin the trial', url: `${env.APP_URL}/trial/${token}` },
    footer: `This was sent to ${to} because the address was entered at ${env.APP_URL}. ${unasked}`,
  })

export const accountExistsNotice = (env: Env, { to, username }: To & { username: string }) =>
  notice({
    to,
    kind: 'account_exists',
    title: 'You already have an account',
    username,
    paragraphs: [
      `A free trial of Earshot was requested with the address ${to}, which has an account already.`,
      'Sign in with it. If you do not remember the password, request a new one there.',
    ],
    action: { label: 'Sign in', url: `${env.APP_URL}/auth` },
    footer: `This was sent to ${to} because the address was entered at ${env.APP_URL}. ${unasked}`,
  })

type Reset = { org_name: string; by: string; username: string; token: string }

export const resetNotice = (env: Env, { to, org_name, by, username, token }: To & Reset) =>
  notice({
    to,
    kind: 'reset',
    title: `${org_name}: set a new password`,
    username,
    paragraphs: [
      `${by}, who administers ${org_name}, asks you to set a new password.`,
      'The link works once, within an hour. Your second factor stays as it is.',
    ],
    action: { label: 'Set a new password', url: `${env.APP_URL}/newpassword?token=${token}` },
    footer: `This was sent to ${to} because an account on Earshot has this address. ${unasked}`,
  })
