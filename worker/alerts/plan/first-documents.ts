import { and, eq, isNull, sql } from 'drizzle-orm'
import { html } from '../../http/html'
import { eachApart } from '../../db/apart'
import { abort } from '../../db/guard'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { stamp } from '../../db/time'
import type { Env } from '../../env'
import { allowStatement } from '../../mail/allowance'
import { summaryKind } from '../../mail/forget'
import { queueAllowed, type Notice } from '../../mail/outbox'
import type { ChannelRules } from '../../domain/alerts/alert-judge'
import { newBit } from '../../domain/alerts/alert-rules'
import { findQuietEnd, type QuietTimes } from '../../domain/alerts/alert-times'
import { numberDocument } from '../../domain/alerts/news-numbers'
import { maliceAdviceOfSome } from '../../domain/scores/malice'
import { verdictRank } from '../../domain/versions/verdict'
import { alertSettings } from '../../schema/alerts'
import { isKnownExploited } from '../../schema/claims'
import { inventories } from '../../schema/inventories'
import { orgs } from '../../schema/orgs'
import { isProvisional } from '../../schema/vulns'
import type { Remark } from '../channels/channel'
import { findChats, queueSummary } from '../deliver/summaries'
import { findRecipients } from '../recipients'
import { toRemark, writeAddressMails } from './address-mails'
import { writeTurn } from './turns'

/** Inventories of a run; the next message or the clock takes the others. */
const maxTold = 20
/** One with thirty chats takes eighty queries, and the same invocation plans the alerts of all. */
const maxQueries = 200
/** Vulnerabilities that stand in a mail, the highest risk first. */
const maxNamed = 10
/** Summaries of a day to a receiver, and where they tell of something urgent. */
const daily = { usual: 20, urgent: 200 }

/** Findings of the first document of an inventory are told as one summary, once all of it is judged. */
export async function tellFirstDocuments(env: Env, db: Db, now: Date) {
  const due = await findDue(db, now)
  await eachApart(db, due, (document) => tellFirst(env, db, document, now), maxQueries)
  return due.length
}

async function tellFirst(env: Env, db: Db, document: Due, now: Date) {
  const told = sql`UPDATE inventories SET tells = CASE WHEN tells = ${document.tells} THEN 'each' ELSE ${abort('documents told')} END
    WHERE org_id = ${document.org_id} AND id = ${document.id}`
  const found = document.is_wanted && document.tells === 'summary' ? await findFound(db, document) : []
  const news = describeSummary(env, document, found)
  const isMailed = document.rules && takesAny({ ...document.rules, ...noFilters }, found)
  const emails = isMailed ? await findRecipients(db, document.org_id) : []
  const mails = await writeAddressMails(env, db, { ...document, emails }, news)
  const chats = found.length ? (await findChats(db, document)).filter((route) => takesAny(route, found)) : []
  const isUrgent = found.some(isUrgentFind)
  const limit = isUrgent ? daily.urgent : daily.usual
  const dueAt = (times: QuietTimes | null) => (isUrgent || !times ? now : findQuietEnd(times, now))
  const said = toRemark(news, news.preview)
  const messages = [
    ...mails.flatMap((mail) => [
      allowStatement(db, { key: `inventories ${document.org_id} ${mail.to}`, limit }, now),
      queueAllowed(db, { org_id: document.org_id, ...mail }, now, dueAt(document.rules)),
    ]),
    ...chats.flatMap((chat) => [
      allowStatement(db, { key: `inventories ${document.org_id} ${chat.channel}`, limit }, now),
      queueSummary(db, { ...chat, due: dueAt(chat) }, said, now),
    ]),
  ]
  const notes = messages.length ? [noteTold(document, { found, mails, said }, now), noteMalice(document, found)] : []
  await writeTurn(db, 'documents told', [told], [...messages, ...notes.map((note) => statement(db, note))])
}

type Told = { found: Found[]; mails: Notice[]; said: Remark }

/** The ledger's row, of the one with the highest risk, with the messages that were allowed. */
function noteTold({ org_id, id, name }: Due, { found, mails, said }: Told, now: Date) {
  const [at, seq] = [stamp(now), numberDocument(id)]
  const sent = JSON.stringify(mails.map(({ to, subject }) => [to, subject]))
  return sql`INSERT INTO alerts(org_id, vuln_id, change_seq, last_seq, rule, fired, suppressed, saw, created_at, updated_at)
      SELECT ${org_id}, ${found[0]?.id}, ${seq}, ${seq}, 'new', ${newBit}, 'summarized', json_object('name', ${name},
        'vulns', json(${JSON.stringify(found.map((vuln) => vuln.id))}),
        'mails', (SELECT json_group_array(m.id) FROM json_each(${sent}) e CROSS JOIN mails m ON m."to" = e.value ->> 0 AND m.org_id = ${org_id} AND m.kind = ${summaryKind}
          AND m.subject = e.value ->> 1 AND m.created_at = ${at}),
        'chats', (SELECT json_group_array(s.id) FROM summaries s WHERE s.org_id = ${org_id} AND s.said = ${JSON.stringify(said)} AND s.created_at = ${at})),
        ${at}, ${at} ON CONFLICT DO NOTHING`
}

const noteMalice = ({ org_id }: Due, found: Found[]) => sql`
  INSERT INTO summarized_malice(org_id, vuln_id)
  SELECT ${org_id}, value FROM json_each(${JSON.stringify(found.filter((vuln) => vuln.is_malicious).map((vuln) => vuln.id))}) WHERE TRUE ON CONFLICT DO NOTHING`

type Due = Awaited<ReturnType<typeof findDue>>[number]

function findDue(db: Db, now: Date) {
  const { org_id, id, name, tells, components_count } = inventories
  const inventory = { org_id, id, name, tells, components_count }
  const { on_new, on_malicious, on_kev, on_exploitable, quiet_from, quiet_to, zone } = alertSettings
  return (
    db
      .select({
        ...inventory,
        not_compared: sql<number>`${inventories.unmatched_count} + ${inventories.uncompared_count}`.as('not_compared'),
        org_name: sql<string>`${orgs.name}`.as('org_name'),
        is_wanted: sql<number>`${orgs.is_active} = 1 AND coalesce(${orgs.trial_ends_at} > ${stamp(now)}, 1)`.as(
          'is_wanted',
        ),
        rules: { on_new, on_malicious, on_kev, on_exploitable, quiet_from, quiet_to, zone },
      })
      .from(inventories)
      .innerJoin(orgs, eq(orgs.id, org_id))
      .leftJoin(alertSettings, eq(alertSettings.org_id, org_id))
      .where(and(sql`${tells} <> 'each'`, eq(inventories.pending_count, 0), isNull(inventories.removed_at)))
      // Organizations take turns, in no order: those that fail again and again must not stand before the others for ever.
      .orderBy(sql`row_number() OVER (PARTITION BY ${org_id} ORDER BY random())`, sql`random()`)
      .limit(maxTold)
  )
}

const unknownRank = verdictRank('unknown')

type Found = {
  id: number
  name: string
  /** Of a malicious package, whose id says nothing. */
  title: string | null
  score: number | null
} & Record<'is_provisional' | 'is_malicious' | 'is_kev' | 'is_exploitable' | 'is_affected', number>

type Described = Pick<Due, 'org_name' | 'name' | 'components_count' | 'not_compared'>

type SummaryRules = Pick<ChannelRules, 'on_new' | 'on_malicious' | 'on_kev' | 'on_exploitable'>
type SummaryFilters = Pick<ChannelRules, 'min_score' | 'only_exploited'>
const noFilters: SummaryFilters = { min_score: null, only_exploited: false }

const isUrgentFind = ({ is_malicious, is_kev, is_exploitable }: Found) =>
  Boolean(is_malicious || is_kev || is_exploitable)

/** A channel that wants no other news of new vulnerabilities hears all the same of urgent ones among these. */
const isWanted = (rules: SummaryRules, { is_malicious, is_kev, is_exploitable }: Found) =>
  rules.on_new ||
  (is_malicious && rules.on_malicious) ||
  (is_kev && rules.on_kev) ||
  (is_exploitable && rules.on_exploitable)

const passes = ({ min_score, only_exploited }: SummaryFilters, vuln: Found) =>
  vuln.is_malicious ||
  ((!only_exploited || isUrgentFind(vuln)) &&
    (vuln.score === null
      ? !min_score || isUrgentFind(vuln)
      : vuln.score >= (min_score ?? 0) || (vuln.is_provisional && vuln.is_kev)))

const takesAny = (route: SummaryRules & SummaryFilters, found: Found[]) =>
  found.some((vuln) => isWanted(route, vuln) && passes(route, vuln))

export const describeSummary = (env: Env, due: Described, found: Found[]) => ({
  kind: summaryKind,
  subject: `${countWord(found.length)} found in ${due.name}`,
  title: `${due.org_name}: findings in ${due.name}`,
  preview: describeFound(due, found),
  link: {
    label: 'Open the inventory',
    url: `${env.APP_URL}/monitoring/inventories/${encodeURIComponent(due.name)}`,
  },
  items: found.slice(0, maxNamed).map((vuln) => ({
    html: html`<a href="${env.APP_URL}/vulns/${vuln.id}">${vuln.name}</a>, ${describeOne(vuln)}`,
    text: `${vuln.name}: ${describeOne(vuln)}`,
  })),
})

/** Findings with another decision meanwhile are not among these. */
const findFound = (db: Db, { org_id, id }: Due) =>
  db.all<Found>(sql`
    SELECT v.id, coalesce(v.cveid, 'PH-' || v.id) AS name, iif(v.is_malicious, v.title, NULL) AS title, v.score, ${isProvisional} AS is_provisional, v.is_malicious, v.is_exploitable, ${isKnownExploited} AS is_kev, m.verdict > ${unknownRank} AS is_affected
    FROM inventory_vulns m CROSS JOIN vulns v ON v.id = m.vuln_id
    WHERE m.org_id = ${org_id} AND m.inventory_id = ${id} AND v.state <> 'rejected'
    ORDER BY v.is_malicious DESC, is_kev DESC, is_affected DESC, v.score DESC, v.id DESC`)

const count = (n: number, single: string, many: string) => `${n.toLocaleString('en')} ${n === 1 ? single : many}`
const countWord = (n: number) => count(n, 'vulnerability', 'vulnerabilities')

function describeFound({ components_count, not_compared }: Described, found: Found[]) {
  const affecting = found.filter((vuln) => vuln.is_affected).length
  const exploited = found.filter((vuln) => vuln.is_kev).length
  const malicious = found.filter((vuln) => vuln.is_malicious).length
  const parts = [
    `${countWord(affecting)} affecting its ${count(components_count, 'component', 'components')}`,
    ...(malicious ? [`${malicious.toLocaleString('en')} of them malicious`] : []),
    ...(exploited ? [`${exploited.toLocaleString('en')} known to be exploited`] : []),
    ...(found.length > affecting ? [`${countWord(found.length - affecting)} that may or may not affect them`] : []),
    ...(not_compared ? [`${count(not_compared, 'component', 'components')} that could not be compared`] : []),
  ]
  const advice = malicious ? ` ${maliceAdviceOfSome}` : ''
  return `${parts.join(', ')}.${advice} Later findings are told one by one.`
}

const describeOne = ({ title, score, is_malicious, is_kev, is_affected }: Found) =>
  [
    ...(is_malicious ? [title ?? 'a malicious package'] : []),
    `score ${score ?? 'n/a'}`,
    ...(is_kev ? ['exploited'] : []),
    ...(is_affected ? [] : ['it may or may not affect you']),
  ].join(', ')
