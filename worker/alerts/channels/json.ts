import { fillTemplate, type TemplateValues } from '../../domain/alerts/json-template'
import { severityLabels } from '../../domain/scores/severity'
import type { AlertFacts } from './facts'
import { testId, type Channel, type IdentifiedBody, type Line } from './channel'
import { postToChannel } from './outgoing'
import { cutText } from '../../domain/words/short-lists'
import { testText, testTitle } from './words'

const maxLines = 20
const maxLine = 300
const maxSummary = 2_000

/** A message in the words of any other tool; its id stays when it is sent again. */
export const json: Channel<IdentifiedBody> = {
  limit: 1,
  render: ([{ alert, delivery_id }], { template }) => {
    const body = JSON.stringify(fillTemplate(template, readFields(alert, shareFor(template))))
    return { id: `msg_${delivery_id}`, body }
  },
  send: ({ id, body }, line) => {
    const { apikey } = line.secrets
    return postToChannel(line, body, { 'webhook-id': id, ...(apikey && { authorization: `Bearer ${apikey}` }) })
  },
  test: (_, line) =>
    json.send({ id: testId(line), body: JSON.stringify(fillTemplate(line.template, testFields(line))) }, line),
}

/** A template may name a long field a thousand times: all of them share what a message may be long. */
const maxFilled = 200_000
const shareFor = (template: string) => Math.floor(maxFilled / template.split('{{').length)

function readFields(alert: AlertFacts, share: number): TemplateValues {
  const { vuln, cvss } = alert
  const count = Math.min(maxLines, Math.floor(share / maxLine))
  const lines = (list: string[]) => list.slice(0, count).map((line) => cutText(line, maxLine))
  return {
    id: `PH-${vuln.id}`,
    alert_id: alert.id,
    cve: vuln.cveid,
    name: alert.name,
    title: `${alert.name} ${alert.headline}`,
    headline: alert.headline,
    summary: cutText(vuln.summary, Math.min(maxSummary, share)),
    severity: severityLabels[alert.severity],
    score: vuln.score,
    cvss: cvss[0] ? `${cvss[0].label} ${cvss[0].value}` : null,
    epss: alert.epss,
    kev: alert.kev,
    exploits: alert.exploits,
    link: alert.link,
    organization: alert.org_name,
    rule: alert.rule,
    at: alert.at,
    changes: lines([...alert.changed, ...alert.came]),
    fixes: lines(alert.fixes),
    concerns: lines(alert.ours),
  }
}

const testFields = ({ env, now }: Line): TemplateValues => ({
  id: 'PH-0',
  alert_id: 0,
  cve: null,
  name: 'PH-0',
  title: testTitle,
  headline: testTitle,
  summary: testText,
  severity: severityLabels.low,
  score: null,
  cvss: null,
  epss: null,
  kev: null,
  exploits: null,
  link: env.APP_URL,
  organization: 'Earshot',
  rule: 'new',
  at: now.toISOString(),
  changes: [],
  fixes: [],
  concerns: [],
})
