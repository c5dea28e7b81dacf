import { sql } from 'drizzle-orm'
import { eachApart } from '../../db/apart'
import { isAborted, retryOvertaken } from '../../db/guard'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { plusSeconds, stamp } from '../../db/time'
import { literal } from '../../db/values'
import type { Fired } from '../../domain/alerts/alert-judge'
import { alertRules, hasRule, urgentBits } from '../../domain/alerts/alert-rules'
import type { AlertRule } from '../../domain/alerts/alert-rules'
import { numberSnoozeEnd } from '../../domain/alerts/snooze-news'
import type { Env } from '../../env'
import { isKnownExploited } from '../../schema/claims'
import { isSettled } from '../../schema/decisions'
import { concernRank } from '../../watchlist/monitored'
import { planTold } from './plan-told'
import type { Told } from './plan-told'
import { writePlan } from './write-plan'

/** The night may fail some times. */
const lookBack_s = 4 * 86_400
/** Of an organization in a night; the next one takes the others. */
const toldAtOnce = 500

/** A vulnerability that turned urgent while an organization heard nothing of it is told once it hears of it again. */
export async function tellSnoozeEnds(env: Env, db: Db, now: Date) {
  const ended = await db.all<{ org_id: number }>(sql`
    SELECT DISTINCT z.org_id FROM decisions z CROSS JOIN orgs o ON o.id = z.org_id AND o.is_active = 1
    WHERE ${hasEnded(now)} AND (o.trial_ends_at IS NULL OR o.trial_ends_at > ${stamp(now)})`)
  try {
    await eachApart(ended, ({ org_id }) => tellOrg(db, org_id, now))
  } finally {
    if (ended.length) await env.DELIVERIES.send({ reason: 'due' })
  }
}

const hasEnded = (now: Date) =>
  sql`z.scope = 'alerts' AND z.author = '' AND z.ended_at >= ${stamp(plusSeconds(now, -lookBack_s))}`

const tellOrg = (db: Db, org_id: number, now: Date) =>
  retryOvertaken({ attempts: 3, isOvertaken: (error) => isAborted(error, 'alerts planned') }, async () => {
    const told = (await db.all<Row>(selectUntold(org_id, now))).flatMap(toTold)
    if (!told.length) return
    const plan = await planTold(db, org_id, told, now)
    const statements = writePlan(plan, stamp(now)).map((one) => statement(db, one))
    if (statements.length) await db.$client.batch(statements)
  })

type Row = {
  vuln_id: number
  last: number
  /** JSON of the rules that each alert triggered. */
  fired: string
  score: number | null
  cvss: number | null
  cvss3: number | null
  is_malicious: number
  is_exploitable: number
  is_kev: number
}

const selectUntold = (org_id: number, now: Date) => sql`
  SELECT vulns.id AS vuln_id, max(a.change_seq) AS last, json_group_array(a.fired) AS fired,
    min(a.score_from) AS score, min(a.cvss_from) AS cvss, min(a.cvss3_from) AS cvss3,
    vulns.is_malicious, vulns.is_exploitable, (SELECT ${isKnownExploited} FROM vulns v WHERE v.id = vulns.id) AS is_kev
  FROM decisions z CROSS JOIN vulns ON vulns.id = z.vuln_id AND vulns.state <> 'rejected'
  CROSS JOIN alerts a ON a.org_id = z.org_id AND a.vuln_id = z.vuln_id AND a.change_seq >= 0
    AND a.suppressed IN ('snoozed', 'accepted') AND a.fired & ${literal(urgentBits)}
  WHERE z.org_id = ${org_id} AND ${hasEnded(now)} AND ${concernRank(org_id)} > 1
    AND NOT ${isSettled(sql`z.org_id`, sql`z.vuln_id`, stamp(now).slice(0, 10))}
    AND NOT EXISTS (SELECT 1 FROM alerts t WHERE t.org_id = a.org_id AND t.vuln_id = a.vuln_id
      AND t.change_seq <= ${literal(numberSnoozeEnd(0))} - a.change_seq)
  GROUP BY vulns.id ORDER BY vulns.id LIMIT ${literal(toldAtOnce)}`

/** Only what still holds. */
function toTold({ vuln_id, last, fired, score, cvss, cvss3, ...flags }: Row): Told[] {
  const bits = (JSON.parse(fired) as number[]).reduce((all, one) => all | one, 0)
  const holds: Partial<Record<AlertRule, boolean>> = {
    malicious: flags.is_malicious === 1,
    cleared: flags.is_malicious === 0 && !hasRule(bits, 'malicious'),
    kev: flags.is_kev === 1,
    exploitable: flags.is_exploitable === 1,
  }
  const rules = alertRules.filter((rule) => hasRule(bits, rule) && holds[rule] !== false)
  const [urgent] = rules.filter((rule) => holds[rule])
  const triggered: Fired = { rules: urgent ? rules : [], from: { score, cvss, cvss3 } }
  return [{ vuln_id, seq: numberSnoozeEnd(last), rule: urgent ?? 'score', triggered }]
}
