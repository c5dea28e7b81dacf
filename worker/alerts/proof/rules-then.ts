import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import { literal, valuesTable } from '../../db/values'
import type { ChannelRules } from '../../domain/alerts/alert-judge'
import { findKind, settingsChannels } from '../../domain/alerts/alert-rules'
import type { PastRules } from '../../domain/alerts/past'
import { usualRules } from '../channels/rows'
import type { Taker } from '../plan/takers'

/** So many entries of an organization's audit log are looked back through. */
const lookedBack = 200
/** Rules written before may not have been seen yet where the clock that planned was ahead, by half an hour at most; planning reads up to a quarter of an hour after the time that it notes. */
export const span = { before_s: 1_860, after_s: 900 }

type Entry = { org_id: number; at: string; action: string; target: string; detail: string }
/** Columns of one channel's rules that somebody wrote. */
type Written = { at: string; columns: Record<string, unknown>; isGone: boolean }
type Head = { org_id: number; since: string; is_whole: 0 | 1 }
export type RulesThen = PastRules & {
  /** Whether it led to somebody; null where nobody can tell. */
  is_reached: boolean | null
}

/** The rules of channels as they stood, from those of today and the audit log, which holds each change of them; null where it does not reach back so far. */
export async function findRulesThen(db: Db, org_ids: number[]) {
  const among = valuesTable(org_ids)
  const [heads, entries, proofs] = await Promise.all([
    db.all<Head>(sql`
      SELECT h.org_id, h.seq <= ${literal(lookedBack)} AND h.pruned_seq = 0 AS is_whole, coalesce((SELECT min(a.at) FROM audit_log a
        WHERE a.org_id = h.org_id AND a.seq > h.seq - ${literal(lookedBack)}), '9999') AS since
      FROM ${among} o CROSS JOIN audit_heads h ON h.org_id = o.item`),
    db.all<Entry>(sql`
      SELECT a.org_id, a.at, a.action, a.target, a.detail FROM ${among} o CROSS JOIN audit_heads h ON h.org_id = o.item
      CROSS JOIN audit_log a ON a.org_id = h.org_id AND a.seq > h.seq - ${literal(lookedBack)}
      WHERE a.action IN ('settings.update', 'channel.update', 'channel.remove', 'member.enable', 'member.join', 'user.enable')
      ORDER BY a.org_id, a.seq DESC`),
    db.all<{ org_id: number; email: string; at: string }>(sql`
      SELECT c.org_id, c.email, c.confirmed_at AS at FROM ${among} o CROSS JOIN alert_addresses c ON c.org_id = o.item
      UNION ALL SELECT m.org_id, lower(u.email), u.email_verified_at FROM ${among} o CROSS JOIN members m ON m.org_id = o.item
        CROSS JOIN users u ON u.id = m.user_id WHERE u.email_verified_at IS NOT NULL`),
  ])
  const [headBy, entriesBy] = [
    new Map(heads.map((head) => [head.org_id, head])),
    Map.groupBy(entries, ({ org_id }) => org_id),
  ]
  const provedBy = new Map(proofs.map(({ org_id, email, at }) => [`${org_id} ${email}`, at]))

  return (taker: Taker, planned: Planned): RulesThen | null => {
    const { org_id, channel, targets } = taker
    const { since, is_whole } = headBy.get(org_id) ?? { since: '', is_whole: 1 }
    const logged = entriesBy.get(org_id) ?? []
    const written = logged.flatMap((entry) => readWritten(entry, channel))
    const { from, to } = planningSpan(planned)
    if (since > from && !is_whole) return null
    const rules = listRules(taker, written, { from, to, isWhole: is_whole === 1 })
    if (!rules) return null
    const lately = written.filter(({ at }) => at > from)
    const isProved = (target: string) => (provedBy.get(`${org_id} ${target}`) ?? '9999') < from
    const isMail = findKind(channel) === 'email'
    const isMoved = lately.some(({ columns, isGone }) => isGone || leading.some((name) => name in columns))
    // The member on duty then is not known.
    const isDoubtful =
      isMoved ||
      (isMail &&
        (('rota' in taker && taker.rota !== '') || logged.some(({ at, action }) => at > from && isOfPerson(action))))
    const isProvedFor = isMail ? targets.some(isProved) : targets.length > 0
    const is_reached = isDoubtful ? null : isProvedFor || (taker.blocked === 'no_recipient' ? false : null)
    const last = rules.filter(({ until }) => until > shift(planned.updated_at, -span.before_s))
    return { any: rules.map((stood) => stood.rules), last: last.map((stood) => stood.rules), is_reached }
  }
}

type Planned = { created_at: string; updated_at: string }
const shift = (at: string, seconds: number) => stamp(plusSeconds(new Date(at), seconds))
const planningSpan = ({ created_at, updated_at }: Planned) => ({
  from: shift(created_at, -span.before_s),
  to: shift(updated_at, span.after_s),
})

/** Columns of a channel's target. */
const leading = ['hints', 'alerts_emails', 'addresses']

const isOfPerson = (action: string) => /^(?:member|user)\./.test(action)

/** Settings hold the rules of mails themselves, and those of others by their names. */
function readWritten({ at, action, target, detail }: Entry, channel: string): Written[] {
  if (isOfPerson(action)) return []
  const written = JSON.parse(detail) as Record<string, unknown>
  if (action !== 'settings.update')
    return target === channel ? [{ at, columns: written, isGone: action === 'channel.remove' }] : []
  const columns = channel === 'email' ? written : written[channel]
  return typeof columns === 'object' && columns !== null
    ? [{ at, columns: columns as Record<string, unknown>, isGone: false }]
    : []
}

type Looked = { from: string; to: string; isWhole: boolean }

/** Newest first, back from those of today: each with the time at which others followed. */
function listRules(taker: Taker, written: Written[], { from, to, isWhole }: Looked) {
  const found: { rules: ChannelRules; until: string }[] = []
  let [rules, until]: [ChannelRules, string] = [taker, '9999']
  for (const [place, { at, columns, isGone }] of written.entries()) {
    if (at <= to) found.push({ rules, until })
    if (at < from) return found
    // Its row went with its rules.
    if (isGone) return null
    for (const name of Object.keys(columns).filter(isRule)) {
      // With what the settings of mails begin is not the same for all.
      const first = isWhole && taker.channel !== 'email' ? usualRules[name] : undefined
      const before = findBefore(written.slice(place + 1), name, taker.channel) ?? first
      if (before === undefined) return null
      rules = { ...rules, [name]: readColumn(name, before) }
    }
    until = at
  }
  return [...found, { rules, until }]
}

type RuleName = keyof typeof usualRules
const isRule = (name: string): name is RuleName => name in usualRules

/** The one of a kind that stands in the settings keeps its rules when it goes. */
function findBefore(older: Written[], name: RuleName, channel: string) {
  const keeps = settingsChannels.some((kind) => kind === channel)
  const last = older.find(({ columns, isGone }) => name in columns || (isGone && !keeps))
  return last?.isGone ? usualRules[name] : last?.columns[name]
}

const lists = ['groups', 'inventories', 'views', 'verdicts']
function readColumn(name: RuleName, value: unknown) {
  if (lists.includes(name)) return JSON.parse(String(value)) as unknown
  return typeof usualRules[name] === 'boolean' ? Boolean(value) : value
}

type Place = { org_id: number; vuln_id: number }
type PlannedPlace = Place & Planned
type Decided = Place & {
  scope: 'vulnerability' | 'alerts'
  /** When it gave way to another one. */
  changed_at: string
  /** Null where nothing was decided. */
  verdict: string | null
  last_day: string | null
  ended_at: string | null
  decided_at: string | null
}

const columns = ['verdict', 'last_day', 'ended_at', 'decided_at']
const read = (from: (name: string) => string) => sql.raw(columns.map((name) => `${from(name)} AS ${name}`).join(', '))
const isOfWhole = sql`z.scope IN ('vulnerability', 'alerts') AND z.inventory_id = 0 AND z.component_id = 0`
const forever = '9999'

/** Whether decisions kept alerts from being told when they were planned, from those that stand and the history of them. */
export async function findQuietThen(db: Db, places: PlannedPlace[]) {
  const keys = [...new Set(places.map(({ org_id, vuln_id }) => JSON.stringify([vuln_id, org_id])))]
  const pairs = sql`json_each(${`[${keys.join()}]`}) p`
  const rows = await db.all<Decided>(sql`
    SELECT z.org_id, z.vuln_id, z.scope, ${forever} AS changed_at, 0 AS id, ${read((name) => `z.${name}`)}
    FROM ${pairs} CROSS JOIN decisions z ON z.vuln_id = p.value ->> 0 AND z.org_id = p.value ->> 1 AND ${isOfWhole} AND z.author = ''
    UNION ALL
    SELECT z.org_id, z.vuln_id, z.scope, z.at, z.id, ${read((name) => `z.before ->> '${name}'`)}
    FROM ${pairs} CROSS JOIN decision_changes z ON z.org_id = p.value ->> 1 AND z.vuln_id = p.value ->> 0 AND ${isOfWhole}
    ORDER BY changed_at, id`)
  const byPlace = Map.groupBy(rows, ({ org_id, vuln_id }) => `${org_id} ${vuln_id}`)

  return ({ org_id, vuln_id, created_at, updated_at }: PlannedPlace): 'quiet' | 'awake' | 'unsure' => {
    const decided = byPlace.get(`${org_id} ${vuln_id}`) ?? []
    const { from, to } = planningSpan({ created_at, updated_at })
    const isNear = (at: string | null) => at !== null && at >= from && at <= to
    if (decided.some(({ changed_at, ended_at }) => isNear(changed_at) || isNear(ended_at))) return 'unsure'
    const standing = (['vulnerability', 'alerts'] as const).flatMap(
      (scope) => decided.find((row) => row.scope === scope && row.changed_at > to) ?? [],
    )
    const isDoubtful = ({ last_day, decided_at }: Decided) =>
      (last_day !== null && last_day >= from.slice(0, 10) && last_day < to.slice(0, 10)) ||
      (decided_at !== null && decided_at > to)
    if (standing.some(isDoubtful)) return 'unsure'
    return standing.some((row) => isQuiet(row, to)) ? 'quiet' : 'awake'
  }
}

function isQuiet({ scope, verdict, last_day, ended_at }: Decided, at: string) {
  if (last_day !== null && last_day < at.slice(0, 10)) return false
  return scope === 'alerts'
    ? verdict !== null && (ended_at === null || ended_at > at)
    : verdict === 'fixed' || verdict === 'not_interesting'
}
