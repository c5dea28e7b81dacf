import { html } from 'hono/html'
import { mailLayout } from './layout'
import type { Notice } from './outbox'

type Given = {
  to: string
  kind: string
  title: string
  /** Each a sentence or two. */
  paragraphs: string[]
  /** The one thing to do, when there is one. */
  action?: { label: string; url: string }
  footer: string
}

/** A mail to one person in the one look of our mails, as HTML and as text. */
export async function notice({ to, kind, title, paragraphs, action, footer }: Given): Promise<Notice> {
  const body = html`${paragraphs.map((text) => html`<p>${text}</p>`)}
  ${
    action
      ? html`<p><a class="action" href="${action.url}">${action.label}</a></p>
          <p class="quiet">${action.url}</p>`
      : ''
  }`
  return {
    to,
    kind,
    subject: `[Earshot] ${title}`,
    html: await mailLayout({ title, body, footer }),
    text: [title, ...paragraphs, ...(action ? [`${action.label}: ${action.url}`] : []), `-- \n${footer}`].join('\n\n'),
  }
}
