import { and, eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import type { AffectedRange, VulnRecord } from '../domain/record'
import { notFound } from '../http/errors'
import { products } from '../kb/tables'
import { unpackBody } from '../vulns/record-body'
import { bodyHex } from '../vulns/records'
import { affected, vulnRecords, vulns } from '../vulns/tables'
import { saveRecords } from './save-records'

/**
 * Changes what people wrote of a vulnerability for everybody who sees it, as a record beside those of the feeds, and
 * merges anew. Answers whether that may be alerted.
 */
export async function editManual(db: Db, vuln_id: number, edit: (record: VulnRecord) => VulnRecord, now: Date) {
  const [[vuln], [stored], statements] = await db.batch([
    db.select({ cveid: vulns.cveid, summary: vulns.summary }).from(vulns).where(eq(vulns.id, vuln_id)),
    db
      .select({ body: bodyHex })
      .from(vulnRecords)
      .where(and(eq(vulnRecords.vuln_id, vuln_id), eq(vulnRecords.source, 'manual'))),
    db
      .select({ vendor: products.vendor, product: products.name, ranges: affected.ranges })
      .from(affected)
      .innerJoin(products, eq(products.id, affected.product_id))
      .where(and(eq(affected.vuln_id, vuln_id), eq(affected.source, 'manual'))),
  ])
  if (!vuln?.cveid) throw notFound('Vulnerability')
  const before: VulnRecord = {
    ...(stored ? unpackBody(stored.body, vuln.summary) : { cveid: vuln.cveid, state: 'awaiting' }),
    cveid: vuln.cveid,
    affected: statements.map(({ ranges, ...name }) => ({ ...name, ranges: JSON.parse(ranges) as AffectedRange[] })),
  }
  return saveManual(db, edit(before), now)
}

/** Writes the record that people made; `hasNews` asks for a message to the alerts queue. */
export const saveManual = (db: Db, record: VulnRecord, now: Date) =>
  saveRecords(db, { source: 'manual', records: [{ ...record, modified: stamp(now) }], is_backfill: false, now }, [])
