import { sql } from 'drizzle-orm'
import { findAlerts } from '../alerts/ledger/queries'
import type { By } from '../auth/audited-by'
import { beside } from '../db/beside'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { stamp } from '../db/time'
import { literal } from '../db/values'
import { findDecisionHistory } from '../decisions/history'
import type { DecisionEntry } from '../decisions/contract'
import { isExploitedBy } from '../domain/names/catalogues'
import { ruleNames } from '../domain/alerts/alert-rules'
import { craStageNames, notLegalAdvice } from '../domain/decisions/cra'
import { tellUncompared } from '../domain/decisions/running'
import { getVulnDetail } from '../vulns/detail/detail'
import { findHistory } from '../vulns/detail/history'
import type { AlertRow } from '../alerts/contract'
import type { CraClock, CraEvidence, CraReport } from './contract'
import { getCraClock } from './find-clocks'

const maxComponents = 200
const maxAlerts = 100

type Entry = CraEvidence['timeline'][number]
type Component = CraEvidence['components'][number]
type Claim = CraEvidence['exploited_by'][number]
type Head = { name: string; count: number; own: string }
/** The first finding in an inventory, and of how many. */
type First = Pick<Component, 'inventory' | 'component' | 'version' | 'found_at'> & { count: number }

/** All of it as it is now: evidence that is not stored cannot contradict the screens. */
export async function getEvidence(db: Db, id: number, by: By): Promise<CraEvidence> {
  const { actor, now } = by
  const { org_id } = actor
  const gathered = Promise.all([
    getVulnDetail(db, org_id, id, now),
    findHistory(db, org_id, id),
    findDecisionHistory(db, id, by),
    findAlerts(db, actor, { vuln_id: id, page: 1, limit: maxAlerts, sorted_by: '-id' }, now),
    findOwn(db, org_id, id),
  ])
  const [clock, [vuln, history, decided, alerts, { firsts, inventories, ...found }]] = await beside(
    getCraClock(db, org_id, id),
    gathered,
  )
  const claims = vuln.exploited_by
    .filter((claim) => claim.withdrawn === null && isExploitedBy(claim))
    .map(({ name, added, notes, link }) => ({ name, added, notes, link }))
  const measures = decided.map(toMeasure)
  const timeline: Entry[] = [
    ...history.map(({ date, reason, changes }) => ({
      at: date,
      kind: 'history' as const,
      text: changes.join('; ') || reason,
    })),
    // A catalogue may not say since when.
    ...claims.filter(({ added }) => added).map(toClaimed),
    ...firsts.map(toFound),
    ...toReported(clock),
    ...measures.map(({ at, about, decision, by: person, reason }) => ({
      at,
      kind: 'decision' as const,
      text: [`${about}: ${decision}`, person && `by ${person}`, reason].filter(Boolean).join(', '),
    })),
    ...alerts.results.map(toAlerted),
    ...toEarlier(alerts),
  ]
  const { cveid, summary, published, cvss3, cvss3_vector, cvss4, cvss4_vector, cwe_ids, references } = vuln
  const known = { cveid, summary, published, cvss3, cvss3_vector, cvss4, cvss4_vector, cwe_ids, references }
  return {
    made_at: stamp(now),
    notice: notLegalAdvice,
    clock,
    vulnerability: { id, ...known },
    exploited_by: claims,
    affected_versions: vuln.affected_items,
    uncompared: vuln.uncompared
      .filter(({ via, id: place }) => via === 'inventory' && inventories.has(place))
      .map(tellUncompared),
    ...found,
    measures,
    timeline: timeline.toSorted((a, b) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1)),
  }
}

/** The name of the organization, and what of its products has the vulnerability. */
async function findOwn(db: Db, org_id: number, vuln_id: number) {
  const ownFindings = sql`own_products o CROSS JOIN inventories i ON i.org_id = o.org_id AND i.id = o.inventory_id AND i.removed_at IS NULL
    CROSS JOIN inventory_findings f ON f.org_id = o.org_id AND f.inventory_id = o.inventory_id AND f.vuln_id = ${vuln_id}
    WHERE o.org_id = ${org_id}`
  const listed = sql`
    SELECT i.name AS inventory, c.name AS component, c.version, c.purl, f.status, f.confidence, f.source, f.range, f.fixed_in, f.found_at
    FROM (SELECT i.name, f.* FROM ${ownFindings} ORDER BY i.name, f.component_id LIMIT ${literal(maxComponents)}) f
    CROSS JOIN inventory_components c ON c.org_id = f.org_id AND c.inventory_id = f.inventory_id AND c.id = f.component_id
    CROSS JOIN inventories i ON i.org_id = f.org_id AND i.id = f.inventory_id`
  const counted = sql`SELECT g.name, (SELECT count(*) FROM ${ownFindings}) AS count,
    (SELECT json_group_array(o.inventory_id) FROM own_products o WHERE o.org_id = g.id) AS own FROM orgs g WHERE g.id = ${org_id}`
  // SQLite takes the other columns from the row of the least value.
  const first = sql`
    SELECT g.inventory, c.name AS component, c.version, g.found_at, g.count
    FROM (SELECT i.name AS inventory, f.inventory_id, f.component_id, min(f.found_at) AS found_at, count(*) AS count FROM ${ownFindings} GROUP BY i.id) g
    CROSS JOIN inventory_components c ON c.org_id = ${org_id} AND c.inventory_id = g.inventory_id AND c.id = g.component_id`
  const [components, heads, firsts] = await db.$client.batch<Component | Head | First>(
    [listed, counted, first].map((query) => statement(db, query)),
  )
  const head = heads?.results[0] as Head | undefined
  return {
    organization: head?.name ?? '',
    components_count: head?.count ?? 0,
    components: (components?.results ?? []) as Component[],
    firsts: (firsts?.results ?? []) as First[],
    inventories: new Set(JSON.parse(head?.own ?? '[]') as number[]),
  }
}

function toMeasure(entry: DecisionEntry) {
  const { at, by, justification, note, fix, last_day } = entry
  const more = [justification?.replaceAll('_', ' '), fix && `upgrade to ${fix}`, last_day && `until ${last_day}`]
  const decision = [entry.verdict?.replaceAll('_', ' ') ?? 'nothing decided', ...more].filter(Boolean).join(', ')
  return { at, by, about: nameDecided(entry), decision, reason: note }
}

function nameDecided({ scope, component, version, inventory }: DecisionEntry) {
  if (scope === 'component')
    return `${component ?? 'A component'} ${version ?? ''} in ${inventory ?? 'an inventory'}`.replace('  ', ' ')
  if (scope === 'alerts') return 'Its alerts'
  if (scope === 'request') return 'A request to accept the risk'
  return scope === 'assignee' ? 'Its assignee' : 'The vulnerability'
}

const toClaimed = ({ name, added }: Claim): Entry => ({
  at: `${added}T00:00:00Z`,
  kind: 'exploited',
  text: `${name} lists it as exploited`,
})

const toFound = ({ inventory, component, version, found_at, count }: First): Entry => ({
  at: found_at,
  kind: 'found',
  text: `Found in ${inventory}: ${component} ${version ?? ''}${count > 1 ? ` and ${count - 1} more` : ''}`,
})

function toAlerted({ created_at, rule, status, reason, deliveries }: AlertRow): Entry {
  const sent = deliveries.filter((delivery) => delivery.sent_at !== null)
  const channels = [...new Set(sent.map(({ channel }) => channel))].join(', ')
  const became = channels ? `sent by ${channels}` : (reason ?? status)
  return { at: created_at, kind: 'alert', text: `Alert "${ruleNames[rule]}": ${became}` }
}

function toEarlier({ count, results }: Awaited<ReturnType<typeof findAlerts>>): Entry[] {
  const [oldest, more] = [results.at(-1), count - results.length]
  if (!oldest || more <= 0) return []
  return [{ at: oldest.created_at, kind: 'alert', text: `${more} earlier alerts are not listed here` }]
}

function toReported({ started_at, aware_at, fix_at, is_fix_stated, stages, not_needed }: CraClock): Entry[] {
  const told = (name: string, report: CraReport | null): Entry[] =>
    report
      ? [
          {
            at: report.done_at,
            kind: 'report',
            text: [`${name}, noted by ${report.by ?? 'somebody who is gone'}`, report.note].filter(Boolean).join(': '),
          },
        ]
      : []
  const fixed = is_fix_stated
    ? 'A fix is available, as the organization says'
    : 'A source names a version that fixes it'
  return [
    {
      at: started_at,
      kind: 'report',
      text: 'Earshot noticed that it is exploited and in a product of the organization',
    },
    ...(aware_at === started_at
      ? []
      : [{ at: aware_at, kind: 'report' as const, text: 'The organization became aware, as it says' }]),
    ...(fix_at === null ? [] : [{ at: fix_at, kind: 'report' as const, text: fixed }]),
    ...stages.flatMap(({ stage, report }) => told(craStageNames[stage], report)),
    ...told('No report is needed', not_needed),
  ]
}
