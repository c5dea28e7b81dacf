import { html } from '../../http/html'
import type { Db } from '../../db/open'
import type { Env } from '../../env'
import { mailButton, mailLayout } from '../../mail/layout'
import { cutText } from '../../domain/words/short-lists'
import type { Remark } from '../channels/channel'
import { findWaysOut } from '../leave'

const maxOrgName = 60

type Told = { org_id: number; org_name: string; emails: string[] }
type Part = ReturnType<typeof html>
export type News = {
  kind: string
  /** After the name of the organization. */
  subject: string
  title: string
  /** The first paragraph. */
  preview: string
  link: { label: string; url: string }
  /** The same list for either form of the mail. */
  items: { html: Part; text: string }[]
}

/** As a chat is told. */
export const toRemark = ({ title, link, items }: News, ...before: string[]): Remark => ({
  title,
  lines: [...before, ...items.map(({ text }) => text)],
  link,
})

/** The same news to each of these alert addresses, each with its own way out. */
export async function writeAddressMails(env: Env, db: Db, { org_id, org_name, emails }: Told, news: News) {
  if (!emails.length) return []
  const { kind, title, preview, link, items } = news
  const body = await html`
    <p>${preview}</p>
    ${mailButton(link)}
    <ul>
      ${items.map((item) => html`<li>${item.html}</li>`)}
    </ul>
  `
  const lines = items.map(({ text }) => `- ${text}`).join('\n')
  const findWay = await findWaysOut(env, db, org_id, emails)
  return Promise.all(
    emails.map(async (to) => {
      const way = await findWay(to)
      const footer = `You receive this because ${org_name} lists ${to} for its alerts.\n${way.text}`
      return {
        to,
        kind,
        subject: `[Earshot] ${cutText(org_name, maxOrgName)}: ${news.subject}`,
        html: await mailLayout({ title, body, footer, preview }),
        text: [title, preview, `${link.label}: ${link.url}`, lines, `-- \n${footer}`].join('\n\n'),
        headers: way.headers,
      }
    }),
  )
}
