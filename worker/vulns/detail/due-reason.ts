import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { formatSeconds } from '../../db/time'
import { valuesTable } from '../../db/values'
import type { DueReason } from '../../decisions/due-contract'
import {
  decideByBod,
  decideByTable,
  exposureRanks,
  firstDuePolicy,
  makeDueTable,
  tellBod,
  tellRemedy,
} from '../../domain/decisions/due'
import type { DuePolicy } from '../../domain/decisions/due'
import { severityLabels, vulnSeverity } from '../../domain/scores/severity'
import type { Ssvc } from '../../domain/words/record'
import type { VulnRow } from '../contract'

export type DueFacts = {
  vuln_id: number
  due_policy: DuePolicy
  /** JSON of the days of the organization's own table. */
  due_days: string | null
  since: number | null
  exposure: number | null
}

type Facts = Omit<DueFacts, 'vuln_id'>

/** A row for each vulnerability. */
export const findDueFacts = (db: Db, org_id: number, vuln_ids: number[]) =>
  db.all<DueFacts>(sql`SELECT j.item AS vuln_id, g.due_policy, g.due_days, coalesce(o.since, iif(o.org_id IS NULL, NULL, v.created_at)) AS since, o.exposure
    FROM ${valuesTable(vuln_ids)} j CROSS JOIN orgs g CROSS JOIN vulns v
    LEFT JOIN org_vulns o ON o.org_id = g.id AND o.vuln_id = j.item WHERE g.id = ${org_id} AND v.id = j.item`)

const noFacts = { due_policy: firstDuePolicy, due_days: null, since: null, exposure: null }
const toExposed = ({ exposure }: Facts) => exposureRanks[exposure ?? exposureRanks.indexOf(null)] ?? null

/** Null where the policy says nothing of it. */
export function explainDue(vuln: VulnRow, ssvc: Ssvc | null, facts: Facts = noFacts): DueReason | null {
  const { due_policy } = facts
  switch (due_policy) {
    case 'none':
      return null
    case 'cisa_kev':
      if (!vuln.kev?.due) return null
      return {
        due_policy,
        text: 'The day that CISA wrote into KEV',
        days: null,
        forensic_triage: false,
        since: vuln.kev.added,
        publicly_exposed: null,
        assumed: [],
      }
    case 'bod_26_04':
      return explainBod(vuln, ssvc, facts)
    case 'own':
      return explainTable(vuln, facts)
  }
}

function explainTable(vuln: VulnRow, facts: Facts): DueReason {
  const publicly_exposed = toExposed(facts)
  const severity = vulnSeverity(vuln)
  const table = makeDueTable(JSON.parse(facts.due_days ?? '[]') as number[])
  const decision = decideByTable(table, severity, { publicly_exposed })
  const time = decision.days === null ? 'no deadline' : tellRemedy(decision)
  const exposed = publicly_exposed ? 'publicly exposed' : 'not publicly exposed'
  const exposure = publicly_exposed === null ? 'exposure not known' : exposed
  return {
    due_policy: 'own',
    text: `${severityLabels[severity]}, ${exposure}: ${time}, your own table`,
    days: decision.days,
    forensic_triage: false,
    since: facts.since === null ? null : formatSeconds(facts.since),
    publicly_exposed,
    assumed: decision.assumed,
  }
}

function explainBod(vuln: VulnRow, ssvc: Ssvc | null, facts: Facts): DueReason {
  const points = {
    in_kev: vuln.kev !== null,
    publicly_exposed: toExposed(facts),
    automatable: ssvc?.automatable ?? null,
    technical_impact: ssvc?.technical_impact ?? null,
  }
  const decision = decideByBod(points)
  const found = facts.since === null ? null : formatSeconds(facts.since)
  const listed = vuln.kev && `${vuln.kev.added}T00:00:00Z`
  return {
    due_policy: 'bod_26_04',
    text: `${tellBod(points, decision)}, BOD 26-04`,
    days: decision.days,
    forensic_triage: decision.forensics,
    since: found && listed && listed < found ? listed : found,
    publicly_exposed: points.publicly_exposed,
    assumed: decision.assumed,
  }
}
