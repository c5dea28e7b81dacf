import type { Env } from '../env'
import { notice } from '../mail/notice'

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

export const passwordChanged = (env: Env, { email, username }: { email: string; username: string }) =>
  securityNotice(env, {
    to: email,
    username,
    title: 'Your password was changed',
    text: 'The password of this account was changed.',
  })
