import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { stamp } from '../../db/time'
import { requireInventory } from '../inventory'
import { writeCsafVex } from './csaf-vex'
import { writeCyclonedxVex } from './cyclonedx-vex'
import { writeOpenvex } from './openvex'
import type { VexStatement, VexSubject } from './statement'

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
}

/** What is known of an inventory, as a document that others read; what nobody can tell is under investigation. */
export async function exportVexFile(
  db: Db,
  org_id: number,
  name: string,
  { format, origin, now }: { format: VexFormat; origin: string; now: Date },
) {
  const { id } = await requireInventory(db, org_id, name)
  const [[org], rows] = await Promise.all([
    db.all<{ name: string }>(sql`SELECT name FROM orgs WHERE id = ${org_id}`),
    db.all<Row>(sql`SELECT f.vuln_id, v.cveid, substr(v.summary, 1, 500) AS summary, c.id, c.name, c.version, c.purl, c.cpe, f.status, f.fixed_in, f.found_at
      FROM inventory_findings f
      CROSS JOIN inventory_components c ON c.org_id = f.org_id AND c.inventory_id = f.inventory_id AND c.id = f.component_id
      CROSS JOIN vulns v ON v.id = f.vuln_id AND v.state <> 'rejected' AND (v.org_id IS NULL OR v.org_id = f.org_id)
      WHERE f.org_id = ${org_id} AND f.inventory_id = ${id} ORDER BY f.vuln_id, f.component_id`),
  ])
  const page = `${origin}/monitoring/inventories/${encodeURIComponent(name)}`
  const subject: VexSubject = { name, page, author: org?.name ?? 'Earshot', now: stamp(now) }
  const document = writers[format](subject, rows.map(toStatement))
  return new Response(JSON.stringify(document, null, 2), {
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="${format}-vex.json"`,
    },
  })
}

const toStatement = ({ vuln_id, cveid, summary, status, fixed_in, found_at, ...component }: Row): VexStatement => ({
  vuln_id,
  cveid,
  summary,
  component,
  status: status === 'affected' ? 'affected' : 'under_investigation',
  justification: null,
  note: null,
  fixed_in,
  at: found_at,
})
