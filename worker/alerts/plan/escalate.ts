import { sql, type SQL } from 'drizzle-orm'
import { eachApart } from '../../db/apart'
import { noteError } from '../../db/error-text'
import type { Db } from '../../db/open'
import { writeAll } from '../../db/statement'
import { plusDays, stamp } from '../../db/time'
import { literal } from '../../db/values'
import { findExclusion } from '../../domain/alerts/alert-judge'
import { urgentBits, type RouteName } from '../../domain/alerts/alert-rules'
import type { Env } from '../../env'
import type { deliveries } from '../../schema/alerts'
import { isKeptSilent } from '../../schema/decisions'
import { findAskedContext, placeKey } from '../judge-context'
import { isServed } from '../recipients'
import { recount } from '../deliver/still-wanted'
import { readChanged } from './changed-vulns'
import { findTakers, type Taker } from './takers'
import { groupByOrg } from './turns'

/** Older alerts go to no further route. */
const maxAgeDays = 2
/** The next turn of the clock takes the others. Organizations take turns: nobody waits behind the thousands of another one. */
const maxAtOnce = 200

type Unheard = Pick<typeof deliveries.$inferSelect, 'alert_id' | 'org_id' | 'channel' | 'rule' | 'told'> & {
  vuln_id: number
  next: RouteName
}

/**
 * Urgent alerts that nobody acknowledged in time, or whose route does not work, go to the next route; run twice, nothing goes
 * twice. The filters of that route hold for these, too: an alert that it leaves out, or that reaches nobody there, goes past it, and the
 * ledger says why.
 */
export async function escalateUnheard(env: Env, db: Db, now: Date) {
  const pairs = await db.all<Pair>(sql`
    SELECT a.org_id, e.next, EXISTS (SELECT 1 FROM alert_escalations f WHERE f.org_id = a.org_id AND f.channel = e.next) AS leads_on
    ${among(now)} GROUP BY 1, 2`)
  if (!pairs.length) return
  await escalate(env, db, pairs, now).catch((error: unknown) => {
    // Something of one organization made it fail, and nobody can tell whose.
    noteError({ job: 'escalations' }, error)
    return eachApart(db, groupByOrg(pairs), ({ rows }) => escalate(env, db, rows, now))
  })
}

type Pair = Pick<Unheard, 'org_id' | 'next'> & { leads_on: number }

async function escalate(env: Env, db: Db, pairs: Pair[], now: Date) {
  const takers = await findTakers(db, pairs, now)
  const findTaker = ({ org_id, next }: Pick<Unheard, 'org_id' | 'next'>) =>
    takers.get(org_id)?.find(({ channel }) => channel === next)
  // Alerts for a route that reaches nobody wait for it where they cannot go past it, and are in nobody's way.
  const open = pairs.filter((pair) => findTaker(pair) && (findTaker(pair)?.targets.length || pair.leads_on))
  const unheard = await findUnheard(db, open, now)
  const vulns = await readVulns(db, unheard, takers, now)
  const writes: SQL[] = []
  for (const [next, alerts] of Map.groupBy(unheard, (alert) => alert.next)) {
    const rows = alerts.flatMap((alert) => {
      const { org_id, alert_id, channel, rule, told } = alert
      const [taker, vuln] = [findTaker(alert), vulns(alert)]
      const targets = taker?.targets.length ? taker.targets : ['']
      const reason = taker?.targets.length ? vuln && findExclusion(taker, vuln) : 'It reaches nobody'
      const status = reason ? 'suppressed' : taker?.is_off ? 'parked' : 'pending'
      return targets.map((target) => [org_id, alert_id, next, target, rule, told, status, channel, reason])
    })
    const ids = sql`SELECT value FROM json_each(${JSON.stringify(alerts.map(({ alert_id }) => alert_id))})`
    if (rows.length) writes.push(insert(rows, now), recount(next, ids))
  }
  if (!writes.length) return
  await writeAll(db, writes)
  await env.DELIVERIES.send({ reason: 'due' })
}

/** As they are now, and as their organizations have them. */
async function readVulns(db: Db, unheard: Unheard[], takers: Map<number, Taker[]>, now: Date) {
  const entries = unheard.map(({ vuln_id }) => ({ vuln_id, seq: 0, kind: 'minor', detail: '[]' }))
  const reading = [readChanged(db, entries), findAskedContext(db, takers, unheard, now)] as const
  const [changed, contexts] = await Promise.all(reading)
  return ({ org_id, vuln_id }: Unheard) => {
    const values = changed.get(vuln_id)?.values
    return values && { ...values, ...contexts.get(placeKey(org_id, vuln_id)) }
  }
}

const isUrgent = (told: string) => sql`${sql.raw(told)} & ${literal(urgentBits)} <> 0`

const findUnheard = (db: Db, open: Pick<Unheard, 'org_id' | 'next'>[], now: Date) =>
  db.all<Unheard>(sql`
    SELECT a.id AS alert_id, a.org_id, a.vuln_id, iif(d.status = 'suppressed', d.escalated_from, e.channel) AS channel, e.next, d.rule, d.told ${among(now)}
      AND (a.org_id, e.next) IN (SELECT value->>0, value->>1 FROM json_each(${JSON.stringify(open.map(({ org_id, next }) => [org_id, next]))}))
    GROUP BY a.id, e.next ORDER BY row_number() OVER (PARTITION BY a.org_id ORDER BY a.id), a.id LIMIT ${literal(maxAtOnce)}`)

const among = (now: Date) => sql`
  FROM alert_escalations e
  CROSS JOIN orgs o ON o.id = e.org_id AND ${isServed(now)}
  CROSS JOIN alerts a ON a.org_id = e.org_id AND a.created_at > ${stamp(plusDays(now, -maxAgeDays))}
    AND a.acknowledged_at IS NULL AND a.suppressed IS NULL
  CROSS JOIN deliveries d ON d.alert_id = a.id AND d.channel = e.channel AND ${isUrgent('d.told')} AND (d.status IN ('dead', 'parked')
    OR d.status = 'suppressed' AND d.escalated_from <> '' OR d.status = 'sent' AND d.sent_at <= strftime('%Y-%m-%dT%H:%M:%SZ', ${stamp(now)}, '-' || e.minutes || ' minutes'))
  WHERE NOT EXISTS (SELECT 1 FROM deliveries n WHERE n.alert_id = a.id AND n.channel = e.next AND ${isUrgent('n.told')})
    AND NOT ${isKeptSilent(sql`a.org_id`, sql`a.vuln_id`, stamp(now))}`

/** An acknowledgement meanwhile keeps it from going on. */
const insert = (rows: unknown[][], now: Date) => sql`
  INSERT INTO deliveries(org_id, alert_id, channel, target, rule, told, status, escalated_from, last_error, next_attempt_at)
  SELECT a.org_id, a.id, r.value ->> 2, r.value ->> 3, r.value ->> 4, r.value ->> 5, r.value ->> 6, r.value ->> 7, r.value ->> 8, ${stamp(now)}
  FROM json_each(${JSON.stringify(rows)}) r CROSS JOIN alerts a ON a.id = r.value ->> 1 AND a.org_id = r.value ->> 0 AND a.acknowledged_at IS NULL
  WHERE TRUE ON CONFLICT DO NOTHING`
