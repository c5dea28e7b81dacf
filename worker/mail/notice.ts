import { html } from '../http/html'
import { mailButton, mailLayout } from './layout'
import type { Notice } from './outbox'

type Given = {
  to: string
  kind: string
  title: string
  /** The account that the mail is about. */
  username?: string
  /** Each a sentence or two. */
  paragraphs: string[]
  /** The one thing to do, when there is one. */
  action?: { label: string; url: string }
  footer: string
}

/** To an admin of an organization. */
export const adminNotice = (given: Omit<Given, 'footer'> & { org_name: string }) =>
  notice({ ...given, footer: `This was sent to ${given.to} because you administer ${given.org_name} on Earshot.` })

export async function notice({ to, kind, title, username, paragraphs, action, footer }: Given): Promise<Notice> {
  const body = html`${username ? html`<p>Username: <b>${username}</b></p>` : ''}
  ${paragraphs.map((text) => html`<p>${text}</p>`)}
  ${
    action
      ? html`${mailButton(action)}
          <p class="quiet" style="overflow-wrap:anywhere">${action.url}</p>`
      : ''
  }`
  const parts = [
    title,
    ...(username ? [`Username: ${username}`] : []),
    ...paragraphs,
    ...(action ? [`${action.label}: ${action.url}`] : []),
    `-- \n${footer}`,
  ]
  return {
    to,
    kind,
    subject: `[Earshot] ${title}`,
    html: await mailLayout({ title, body, footer, ...(paragraphs[0] && { preview: paragraphs[0] }) }),
    text: parts.join('\n\n'),
  }
}
