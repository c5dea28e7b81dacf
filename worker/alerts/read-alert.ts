import type { Db } from '../db/open'
import type { VulnChange } from '../domain/change'
import { getVulnDetail } from '../vulns/detail/detail'
import { firedBits } from './fired'

type Row = {
  id: number
  org_id: number
  org_name: string
  vuln_id: number
  fired: number
  created_at: string
  change_seq: number
  last_seq: number
}

export async function readAlert(db: Db, alert_id: number, now: Date) {
  const row = await db.$client
    .prepare(
      `SELECT a.id, a.org_id, o.name AS org_name, a.vuln_id, a.fired, a.created_at, a.change_seq, a.last_seq
       FROM alerts a JOIN orgs o ON o.id = a.org_id WHERE a.id = ?1`,
    )
    .bind(alert_id)
    .first<Row>()
  if (!row) return null
  const { vuln_id, fired, created_at: at, change_seq: _first, last_seq: _last, ...alert } = row
  const [changes, vuln] = await Promise.all([findChanges(db, row), getVulnDetail(db, row.org_id, vuln_id, now)])
  const is_new = (fired & firedBits.new) > 0
  return { ...alert, is_new, at, changes, vuln }
}

async function findChanges(db: Db, { vuln_id, change_seq, last_seq }: Row) {
  const { results } = await db.$client
    .prepare(
      'SELECT detail FROM vuln_changes WHERE vuln_id = ?1 AND seq BETWEEN ?2 AND ?3 AND is_backfill = 0 ORDER BY seq LIMIT 100',
    )
    .bind(vuln_id, change_seq, last_seq)
    .all<{ detail: string }>()
  return results.flatMap(({ detail }) => JSON.parse(detail) as VulnChange[])
}
