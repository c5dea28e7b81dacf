import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { laterThan } from '../db/time'
import type { Actor } from '../domain/access'
import { privateName } from '../domain/cve'
import type { AffectedProduct, VulnRecord } from '../domain/record'
import { saveManual } from '../merge/manual-record'
import { Superseded } from '../merge/save-records'
import { Failure, forbidden, invalid } from '../http/errors'
import { products } from '../schema/kb'
import { unpackBody } from '../merge/record-body'
import { bodyHex } from '../merge/records'
import { vulnRecords, vulns } from '../schema/vulns'
import { requireVuln } from '../watchlist/visible'
import { isMonitored } from '../watchlist/monitored'
import { setMonitored } from '../watchlist/set-monitored'
import type { VulnForm } from './contract'
import { recordOfForm } from './form-record'

type By = { db: Db; actor: Actor; now: Date }

/** Adds a vulnerability: everybody's when a global admin writes it, else the organization's own. */
export async function createVuln({ db, actor, now }: By, form: VulnForm) {
  const { cve_id } = form
  if (cve_id) await refuseKnown(db, cve_id)
  const name = actor.is_admin ? (cve_id ?? `EARSHOT-${crypto.randomUUID()}`) : privateName(actor.org_id)
  const record = await recordFor({ db, actor, now }, name, form)
  // An organization's own is not the CVE itself, it goes by its id.
  const aliases = !actor.is_admin && cve_id ? { aliases: [cve_id] } : {}
  const { hasNews } = await saveManual(db, { ...record, ...aliases }, now, null).catch(async (error: unknown) => {
    if (error instanceof Superseded) await refuseKnown(db, name)
    throw error
  })
  const [row] = await db.select({ id: vulns.id }).from(vulns).where(eq(vulns.cveid, name))
  const id = row?.id ?? 0
  if (form.monitored) await setMonitored(db, actor.org_id, { kind: 'vuln', ids: [id], monitored: true, now })
  return { id, hasNews }
}

/** Changes what was written by hand; what the feeds say of a CVE stays beside it, and the hand's word wins. */
export async function changeVuln(
  { db, actor, now }: By,
  { id, modified, ...form }: VulnForm & { id: number; modified?: string | null | undefined },
) {
  const vuln = await requireEditable(db, actor, id)
  const before = await findManual(db, id)
  const replaces = before?.modified ?? null
  if (modified !== undefined && modified !== replaces) throw changedMeanwhile()

  const record = await recordFor({ db, actor, now }, vuln.cveid ?? '', form)
  const aliases = before?.record.aliases && { aliases: before.record.aliases }
  const { hasNews } = await saveManual(db, { ...record, ...aliases }, laterThan(replaces, now), replaces).catch(
    refuseSuperseded,
  )
  const [shown] = await db
    .select({ monitored: isMonitored(actor.org_id).as('monitored') })
    .from(vulns)
    .where(eq(vulns.id, id))
  if (shown?.monitored !== form.monitored)
    await setMonitored(db, actor.org_id, { kind: 'vuln', ids: [id], monitored: form.monitored, now })
  return { id, hasNews }
}

const changedMeanwhile = () =>
  new Failure(409, 'conflict', 'Somebody else changed it since you opened it: look at it again')

function refuseSuperseded(error: unknown): never {
  throw error instanceof Superseded ? changedMeanwhile() : error
}

export async function requireEditable(db: Db, actor: Actor, id: number) {
  const vuln = await requireVuln(db, actor.org_id, id)
  if (vuln.org_id === null && !actor.is_admin) throw forbidden('Only a global admin changes what everybody sees')
  return vuln
}

/** The record that people wrote, null when nobody did. */
export async function findManual(db: Db, vuln_id: number) {
  const [row] = await db
    .select({ modified: vulnRecords.modified, summary: vulns.summary, body: bodyHex })
    .from(vulnRecords)
    .innerJoin(vulns, eq(vulns.id, vulnRecords.vuln_id))
    .where(and(eq(vulnRecords.vuln_id, vuln_id), eq(vulnRecords.source, 'manual')))
  return row ? { modified: row.modified, record: unpackBody(row.body, row.summary) } : null
}

async function refuseKnown(db: Db, cve_id: string) {
  const [known] = await db.select({ id: vulns.id }).from(vulns).where(eq(vulns.cveid, cve_id))
  if (known) throw new Failure(409, 'exists', `${cve_id} is already here: PH-${known.id}`)
}

async function recordFor({ db, actor }: By, name: string, form: VulnForm): Promise<VulnRecord> {
  const chosen = form.products.length
    ? await db
        .select({ id: products.id, vendor: products.vendor, name: products.name })
        .from(products)
        .where(sql`${products.id} in (select value from json_each(${JSON.stringify(form.products)}))`)
    : []
  if (chosen.length < new Set(form.products).size)
    throw invalid([{ path: ['products'], message: 'One of the products is not known' }])
  const record = recordOfForm(name, form, chosen)
  // A name that only one organization knows must not show in everybody's list of products.
  if (!actor.is_admin) await refuseUnknown(db, record.affected ?? [])
  return record
}

async function refuseUnknown(db: Db, affected: AffectedProduct[]) {
  const names = affected.map(({ vendor, product }) => [vendor, product])
  const known = await db.all<{ vendor: string; name: string }>(
    sql`select p.vendor, p.name from json_each(${JSON.stringify(names)}) j join products p on p.vendor = j.value->>0 and p.name = j.value->>1`,
  )
  const unknown = affected.find(
    ({ vendor, product }) => !known.some((one) => one.vendor === vendor && one.name === product),
  )
  if (unknown)
    throw invalid([
      { path: ['cpes'], message: `The knowledge base has no product ${unknown.vendor}:${unknown.product}` },
    ])
}
