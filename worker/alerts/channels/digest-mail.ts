import { severityLabels } from '../../domain/scores/severity'
import { html } from '../../http/html'
import { mailButton, mailLayout } from '../../mail/layout'
import type { Message } from '../../mail/message'
import type { Tellings } from './channel'
import { mailHeaders } from './mail'
import type { GivenMail } from './mail'
import { cutText } from '../../domain/words/short-lists'
import { countTellings, factLine, groupBySeverity, nameWhole, severityColors } from './words'

const maxSummary = 240

/** The alerts of an hour or a day in one mail, the worst first. */
export async function digestMail(tellings: Tellings, given: GivenMail): Promise<Message> {
  const { to, from, app_url, way } = given
  const [first] = tellings
  const { org_name } = first.alert
  const title = `${countTellings(tellings)} · ${cutText(org_name, 60)}`
  const groups = groupBySeverity(tellings)
  const footer = `You receive this because ${org_name} lists ${to} for its alerts.\n${way.text}`
  const action = { label: 'All alerts', url: `${app_url}/alerts` }
  const body = html`${groups.map(
    (group) => html`
      <h2>${severityLabels[group.severity]} (${group.tellings.length})</h2>
      ${group.tellings.map(
        ({ alert }) => html`
          <div style="border-left:5px solid ${severityColors[alert.severity]};padding-left:12px;margin-bottom:12px">
            <a href="${alert.link}">${nameWhole(alert)}</a> ${alert.headline}
            <div class="quiet">${factLine(alert)}</div>
            <div>${cutText(alert.vuln.summary, maxSummary)}</div>
          </div>
        `,
      )}
    `,
  )}
  ${mailButton(action)}`
  const lines = groups.flatMap((group) =>
    group.tellings.map(({ alert }) =>
      [
        `${nameWhole(alert)} ${alert.headline}`,
        factLine(alert),
        cutText(alert.vuln.summary, maxSummary),
        alert.link,
      ].join('\n'),
    ),
  )
  return {
    to,
    from,
    subject: `[Earshot] ${title}`,
    html: await mailLayout({ title, body, footer, preview: factLine(first.alert) }),
    text: [title, ...lines, `${action.label}: ${action.url}`, `-- \n${footer}`].join('\n\n'),
    ...mailHeaders(given),
  }
}
