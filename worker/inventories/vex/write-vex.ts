import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { stamp } from '../../db/time'
import { withoutTurns } from '../../domain/people/name'
import type { VexJustification, VexStatus } from '../../domain/decisions/vex'
import { Failure } from '../../http/errors'
import { isOfFinding, isStatedOfFinding } from '../../schema/decisions'
import { publicId } from '../finding-tables'
import { requireInventory } from '../inventory'
import { writeCsafVex } from './csaf-vex'
import { writeCyclonedxVex } from './cyclonedx-vex'
import { writeOpenvex } from './openvex'
import { settleStatements, type VexStatement, type VexSubject } from './statement'

const writers = { cyclonedx: writeCyclonedxVex, openvex: writeOpenvex, csaf: writeCsafVex }
type VexFormat = keyof typeof writers

type Row = {
  vuln_id: number
  cveid: string | null
  summary: string
  id: number
  name: string
  version: string | null
  purl: string | null
  cpe: string | null
  status: 'affected' | 'unknown'
  fixed_in: string | null
  found_at: string
  decided: VexStatus | null
  justification: VexJustification | null
  note: string | null
  fix: string | null
  decided_at: string | null
  /** Why the vulnerability does not concern the organization anywhere. */
  org_justification: VexJustification | null
  org_note: string | null
}

export async function exportVexFile(
  db: Db,
  org_id: number,
  name: string,
  { format, origin, now }: { format: VexFormat; origin: string; now: Date },
) {
  const { id } = await requireInventory(db, org_id, name)
  const [[org], rows] = await Promise.all([
    db.all<{ name: string }>(sql`SELECT name FROM orgs WHERE id = ${org_id}`),
    db.all<Row>(sql`SELECT f.vuln_id, ${publicId} AS cveid, substr(v.summary, 1, 500) AS summary, c.id, c.name, c.version, c.purl, c.cpe, f.status, f.fixed_in, f.found_at,
        d.verdict AS decided, d.justification, d.note, d.fix, d.decided_at, s.justification AS org_justification, s.note AS org_note
      FROM inventory_findings f
      CROSS JOIN inventory_components c ON c.org_id = f.org_id AND c.inventory_id = f.inventory_id AND c.id = f.component_id
      CROSS JOIN vulns v ON v.id = f.vuln_id AND v.state <> 'rejected' AND (v.org_id IS NULL OR v.org_id = f.org_id)
      LEFT JOIN decisions d ON ${sql.raw(isOfFinding)}
      LEFT JOIN decisions s ON ${sql.raw(isStatedOfFinding)} AND s.justification IS NOT NULL
      WHERE f.org_id = ${org_id} AND f.inventory_id = ${id} ORDER BY f.vuln_id, f.component_id`),
  ])
  const page = `${origin}/monitoring/inventories/${encodeURIComponent(name)}`
  const subject: VexSubject = { name, page, author: org?.name ?? 'Earshot', now: stamp(now) }
  const statements = settleStatements(rows.map(toStatement))
  if (!statements.length && format !== 'cyclonedx')
    throw new Failure(
      409,
      'nothing_to_say',
      'Without a finding there is nothing to say: only CycloneDX knows empty documents',
    )
  const document = writers[format](subject, statements)
  return new Response(withoutTurns(JSON.stringify(document, null, 2)), {
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="${format}-vex.json"`,
    },
  })
}

function toStatement(row: Row): VexStatement {
  const { vuln_id, cveid, summary, id, name, version, purl, cpe } = row
  return {
    vuln_id,
    cveid,
    summary,
    component: { id, name, version, purl, cpe },
    ...decideStatement(row),
    fixed_in: row.fix ?? row.fixed_in,
    at: row.decided_at ?? row.found_at,
  }
}

/** Decision on the finding, else on the vulnerability with a reason, else by versions. */
function decideStatement(row: Row): Pick<VexStatement, 'status' | 'justification' | 'note'> {
  const { decided, justification, note, org_justification, org_note } = row
  if (decided !== null) return { status: decided, justification, note }
  if (org_justification !== null) return { status: 'not_affected', justification: org_justification, note: org_note }
  return { status: row.status === 'affected' ? 'affected' : 'under_investigation', justification: null, note: null }
}
