import { html } from '../../http/html'
import { explainVector } from '../../domain/scores/cvss'
import { decide } from '../../domain/decisions/decision'
import { shortName } from '../../domain/names/product'
import { cutText, someLines } from '../../domain/words/short-lists'
import { mailButton, mailLayout } from '../../mail/layout'
import type { Message } from '../../mail/message'
import type { VulnDetail } from '../../vulns/detail/contract'
import { factTable, listDecision, vulnMail, writeLines } from '../../vulns/mail'
import { severityLabels } from '../../domain/scores/severity'
import type { Channel, Tellings } from './channel'
import { countTellings, factLine, groupBySeverity, nameWhole, severityColors, testText } from './words'
import { vulnIdLink, type AlertFacts } from './facts'
import { eq } from 'drizzle-orm'
import type { Env } from '../../env'
import { notice } from '../../mail/notice'
import { orgs } from '../../schema/orgs'
import { findWaysOut } from '../leave'

/** So many lines of each kind stand on the first screen of a phone; the link leads to the others. */
const leadLines = 3
const textLines = 12
const subjectLimit = 200
const orgLimit = 60

type GivenMail = {
  to: string
  from: string
  app_url: string
  delivery_id: number
  /** How the address is let go. */
  way: { headers: Record<string, string>; text: string }
}

export async function alertMail(
  alert: AlertFacts,
  { to, from, app_url, delivery_id, way }: GivenMail,
): Promise<Message> {
  const { vuln, name, headline } = alert
  const footer = `You receive this because ${alert.org_name} lists ${to} for its alerts.\n${way.text}`
  return {
    to,
    from,
    subject: describeSubject(alert),
    ...(await vulnMail(vuln, { title: `${name} ${headline}`, footer, app_url, lead: leadFor(alert) })),
    ...mailHeaders({ app_url, delivery_id, way }),
  }
}

/** The same at each try. */
const mailHeaders = ({ app_url, delivery_id, way }: Pick<GivenMail, 'app_url' | 'delivery_id' | 'way'>) => ({
  message_id: `<delivery-${delivery_id}@${new URL(app_url).hostname}>`,
  headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All', ...way.headers },
})

/** "[Earshot] Critical 9.8, exploited: OpenSSL – CVE-2024-1 · PH-12 / has known exploits · Acme": a phone shows its first third. */
function describeSubject(alert: AlertFacts) {
  const { vuln, name, headline, org_name } = alert
  const items = nameItems(vuln)
  const ours = items.length
    ? `${items.slice(0, 2).join(', ')}${items.length > 2 ? ` +${items.length - 2}` : ''} – `
    : ''
  const what = name.startsWith('PH-') ? '' : `${name} · `
  const org = ` · ${cutText(org_name, orgLimit)}`
  return (
    cutText(
      `[Earshot] ${describeBadness(alert)}: ${ours}${what}PH-${vuln.id} / ${headline}`,
      subjectLimit - org.length,
    ) + org
  )
}

/** If nothing but inventories bring it, its components there. */
function nameItems({ monitored_by, runs }: VulnDetail) {
  const items = monitored_by.filter(({ via }) => via !== 'vuln')
  const running = items.every(({ via }) => via === 'inventory') ? runs.filter(({ via }) => via === 'inventory') : []
  const names = running.length ? running.map(({ name, vendor }) => `${name} in ${vendor}`) : items.map(shortName)
  return [...new Set(names)]
}

function describeBadness({
  vuln: { score, is_score_provisional, is_in_the_wild, is_malicious },
  severity,
  cvss: [newest],
  kev,
  exploits,
}: AlertFacts) {
  if (is_malicious) return 'Malicious'
  const ours = score === null ? '' : `, score ${score}${is_score_provisional ? ' (provisional)' : ''}`
  return `${severityLabels[severity]}${newest ? ` ${newest.value}` : ours}${kev || is_in_the_wild ? ', exploited' : exploits ? ', exploit known' : ''}`
}

function leadFor(alert: AlertFacts) {
  const { vuln, name, severity, link, links, ours, changed, came } = alert
  const home = vulnIdLink(name)
  const decision = listDecision(vuln, vuln)
  const ownTitle = decide(vuln).name
  const attack = describeAttack(alert)
  const lists = [
    { title: 'Why it concerns you', lines: ours },
    { title: 'What changed', lines: changed },
    { title: 'How it came to you', lines: came },
  ].filter(({ lines }) => lines.length)
  return {
    preview: [factLine(alert), ...ours.slice(0, 1)].join(' · '),
    html: html`
      <div
        style="border-left:5px solid ${severityColors[severity]};padding-left:12px;margin-bottom:4px;line-height:1.35"
      >
        <p style="margin:0 0 2px">
          <b>${severityLabels[severity]}</b> · <a href="${link}">PH-${vuln.id}</a>
          ${name.startsWith('PH-') ? '' : html` · ${home ? html`<a href="${home}">${name}</a>` : name}`}
        </p>
        ${ownTitle === name ? '' : html`<div>${ownTitle}</div>`}
        <div>${listFacts(alert).map(fact)}</div>
        ${attack ? html`<div class="quiet">${attack}</div>` : ''}
      </div>
      ${factTable(decision)}
      ${lists.map(
        ({ title, lines }) =>
          html`<p style="margin:4px 0 1px"><b>${title}</b></p>
            <ul style="margin:0 0 4px;padding-left:20px;line-height:1.35">
              ${someLines(lines, leadLines).map((line) => html`<li>${line}</li>`)}
            </ul>`,
      )}
      ${mailButton({ label: 'Open in Earshot', url: link })}
      ${links ? html`<p><a href="${links.acknowledge}">Acknowledge</a> · <a href="${links.snooze}">Snooze for a week</a></p>` : ''}
    `,
    text: [
      nameWhole(alert),
      ...(ownTitle === name ? [] : [ownTitle]),
      factLine(alert),
      ...(attack ? [attack] : []),
      ...(decision.length ? [writeLines(decision)] : []),
      ...lists.map(({ title, lines }) => [title, ...someLines(lines, textLines).map((line) => `- ${line}`)].join('\n')),
      `Open in Earshot: ${link}`,
      ...(links ? [`Acknowledge: ${links.acknowledge}\nSnooze for a week: ${links.snooze}`] : []),
    ].join('\n\n'),
  }
}

/** How it is attacked, in the words of CVSS: "Over any network · No account · Works every time". */
function describeAttack({ vuln: { cvss4_vector, cvss3_vector, cvss_vector } }: AlertFacts) {
  const vector = cvss4_vector ?? cvss3_vector ?? cvss_vector
  const words = vector === null ? [] : explainVector(vector)
  return ['AV', 'PR', 'Au', 'UI', 'AC']
    .flatMap((metric) => words.filter((word) => word.metric === metric).map(({ meaning }) => meaning))
    .join(' · ')
}

type Fact = { label: string; value: string }

const listFacts = ({ vuln, score, cvss, epss }: AlertFacts): Fact[] => [
  { label: 'Score', value: score },
  ...cvss.slice(0, 1),
  { label: 'EPSS', value: epss ?? 'n/a' },
  // When it is due stands among what to decide by.
  { label: 'CISA KEV', value: vuln.kev ? `since ${vuln.kev.added}` : 'no' },
]

const fact = ({ label, value }: Fact, at: number) =>
  html`${at ? ' · ' : ''}<span class="quiet">${label}</span> <b>${value}</b>`

const maxDigestSummary = 240

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
            <div>${cutText(alert.vuln.summary, maxDigestSummary)}</div>
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
        cutText(alert.vuln.summary, maxDigestSummary),
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

export const email: Channel<Message> = {
  limit: 1,
  render: async (tellings, { env, db }) => {
    const [{ alert, target, first_id }] = tellings
    const findWay = await findWaysOut(env, db, alert.org_id, [target])
    const way = await findWay(target)
    const given = { to: target, from: env.MAIL_FROM, app_url: env.APP_URL, delivery_id: first_id, way }
    return tellings.length > 1 ? digestMail(tellings, given) : alertMail(alert, given)
  },
  send: async (message, { transport }) => {
    await transport.send(message)
    return { status: 250, text: 'accepted' }
  },
  test: async (to, line) => {
    const { env, db, org_id, now } = line
    const org = await db.select({ name: orgs.name }).from(orgs).where(eq(orgs.id, org_id)).get()
    const { subject, html: written, text } = await testNotice(env, { to, org_name: org?.name ?? '' })
    const message_id = `<test-${now.getTime()}@${new URL(env.APP_URL).hostname}>`
    const headers = { 'Auto-Submitted': 'auto-generated' }
    return email.send({ to, from: env.MAIL_FROM, subject, html: written, text, message_id, headers }, line)
  },
}

export const testNotice = (env: Env, { to, org_name }: { to: string; org_name: string }) =>
  notice({
    to,
    kind: 'alert_test',
    title: `${org_name}: test of your alerts`,
    paragraphs: [testText],
    action: { label: 'Alert settings', url: `${env.APP_URL}/settings?tab=alerting` },
    footer: `This was sent to ${to} because a test of the alerts of ${org_name} was requested.`,
  })
