import { and, eq, sql } from 'drizzle-orm'
import type { By } from '../auth/audited-by'
import { isAborted, refuseBeyond } from '../db/guard'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { laterThan } from '../db/time'
import type { Actor } from '../domain/people/access'
import { newOpenName, newPrivateName } from '../domain/names/cve'
import type { AffectedProduct, VulnRecord } from '../domain/words/record'
import { saveManual, Superseded } from '../merge/save-records'
import { Failure, forbidden, invalid } from '../http/errors'
import { unpackBody } from '../merge/record-body'
import { bodyHex } from '../merge/records'
import { auditedForAll } from '../orgs/operator-log'
import { vulnRecords, vulns } from '../schema/vulns'
import { requireVuln } from '../watchlist/visible'
import { isMonitored } from '../watchlist/monitored'
import { setKept } from '../monitoring/set-kept'
import { setMonitored } from '../watchlist/set-monitored'
import type { AddForm, ProductChoice, VulnForm } from './contract'
import { formRecord } from './form-record'

export const maxPrivateVulns = 1_000

type Writer = By & { db: Db }

/** One with a `key` was brought along from elsewhere: it is private, and no news. */
export async function createVuln({ db, ...by }: Writer, { scope, ...form }: AddForm, key?: string) {
  const { actor, now } = by
  const { cve_id } = form
  if (scope === 'public' && !actor.is_admin) throw forbidden('Only a global admin adds what everybody sees')
  const isPublic = actor.is_admin && scope !== 'private'
  if (cve_id) await refuseKnown(db, cve_id)
  const name = isPublic ? (cve_id ?? newOpenName()) : newPrivateName(actor.org_id, key)
  const record = await toRecord(db, name, { form, isPublic })
  // A private vulnerability is not the CVE itself, but has its id as an alias.
  const aliases = !isPublic && cve_id ? { aliases: [cve_id] } : {}
  const alongside = () => (isPublic ? [] : [withinQuota(db, actor.org_id)])
  const saving = saveManual(
    db,
    { ...record, ...aliases },
    { now, replaces: null, alongside, is_backfill: key !== undefined },
  )
  const { hasNews } = await saving.catch(async (error: unknown) => {
    if (error instanceof Superseded) await refuseKnown(db, name)
    throw isAborted(error, 'quota') ? isFull() : error
  })
  const [row] = await db.select({ id: vulns.id }).from(vulns).where(eq(vulns.cveid, name))
  const id = row?.id ?? 0
  if (isPublic) await tellPublished(db, id, cve_id, by)
  if (form.monitored) await setMonitored(db, actor.org_id, { kind: 'vuln', ids: [id], monitored: true, now })
  return { id, hasNews }
}

type Edit = VulnForm & { id: number; version?: string | null | undefined }

/** The records of feeds stay; edits win. */
export async function updateVuln({ db, ...by }: Writer, { id, version, ...form }: Edit) {
  const { actor, now } = by
  const vuln = await requireEditable(db, actor, id)
  const record = await toRecord(db, vuln.cveid ?? '', { form, isPublic: vuln.org_id === null })
  const { hasNews } = await replaceManual({ db, now }, { id, version, record })
  if (vuln.org_id === null) await tellPublished(db, id, vuln.cveid, by)
  const [shown] = await db
    .select({ monitored: isMonitored(actor.org_id).as('monitored') })
    .from(vulns)
    .where(eq(vulns.id, id))
  if (shown?.monitored !== form.monitored) await setKept(db, { kind: 'vuln', ids: [id], monitored: form.monitored }, by)
  return { id, hasNews }
}

const tellPublished = (db: Db, id: number, cveid: string | null | undefined, by: By) =>
  auditedForAll(db, { action: 'vuln.publish', target: cveid ?? `PH-${id}` }, by)

/** Others may write at the same time; an edit without a version is retried after them. */
const maxTries = 5

type Replacement = { id: number; version: string | null | undefined; record: VulnRecord }

async function replaceManual({ db, now }: Pick<Writer, 'db' | 'now'>, { id, version, record }: Replacement, tries = 1) {
  const before = await findManual(db, id)
  const replaces = before?.modified ?? null
  if (version !== undefined && version !== replaces) throw changedMeanwhile()

  const aliases = before?.record.aliases && { aliases: before.record.aliases }
  try {
    return await saveManual(db, { ...record, ...aliases }, { now: laterThan(replaces, now), replaces })
  } catch (error) {
    if (!(error instanceof Superseded)) throw error
    if (version !== undefined || tries === maxTries) throw changedMeanwhile()
    return replaceManual({ db, now }, { id, version, record }, tries + 1)
  }
}

const changedMeanwhile = () =>
  new Failure(409, 'conflict', 'Somebody else changed it since you opened it: look at it again')

export async function requireEditable(db: Db, actor: Actor, id: number) {
  const vuln = await requireVuln(db, actor.org_id, id)
  if (vuln.org_id === null && !actor.is_admin) throw forbidden('Only a global admin changes what everybody sees')
  return vuln
}

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

type Given = { form: VulnForm; isPublic: boolean }

async function toRecord(db: Db, name: string, { form, isPublic }: Given): Promise<VulnRecord> {
  const record = formRecord(name, form, await getProducts(db, form.products))
  // A name that only this organization uses must not appear in everybody's list of products.
  if (!isPublic) await refuseUnknown(db, record.affected ?? [])
  return record
}

type Product = { id: number; vendor: string; name: string }

async function getProducts(db: Db, refs: ProductChoice[]): Promise<Product[]> {
  if (!refs.length) return []
  const json = JSON.stringify(
    refs.map((ref) => ('id' in ref ? [ref.id] : [null, ref.vendor?.toLowerCase() ?? null, ref.name.toLowerCase()])),
  )
  const found = await db.all<Product & { at: number }>(sql`
    SELECT j.key AS at, p.id, p.vendor, p.name FROM json_each(${json}) j JOIN products p ON p.id = j.value->>0
    UNION ALL
    SELECT j.key, p.id, p.vendor, p.name FROM json_each(${json}) j CROSS JOIN products p
    WHERE p.name = j.value->>2 AND (j.value->>1 IS NULL OR p.vendor = j.value->>1)`)
  const byRef = Map.groupBy(found, ({ at }) => at)
  return refs.map((ref, at) => {
    const [product, other] = byRef.get(at) ?? []
    if (!product) throw wrongProduct('One of the products is not known')
    if (other && 'name' in ref)
      throw wrongProduct(`Several vendors have a product ${ref.name}: name it with its vendor`)
    return product
  })
}

const wrongProduct = (message: string) => invalid([{ path: ['products'], message }])

async function refuseUnknown(db: Db, affected: AffectedProduct[]) {
  const names = affected.map(({ vendor, product }) => [vendor, product])
  const known = await db.all<{ vendor: string; name: string }>(
    sql`SELECT p.vendor, p.name FROM json_each(${JSON.stringify(names)}) j JOIN products p ON p.vendor = j.value->>0 AND p.name = j.value->>1`,
  )
  const unknown = affected.find(
    ({ vendor, product }) => !known.some((one) => one.vendor === vendor && one.name === product),
  )
  if (unknown)
    throw invalid([
      { path: ['cpes'], message: `The knowledge base has no product ${unknown.vendor}:${unknown.product}` },
    ])
}

const withinQuota = (db: Db, org_id: number) =>
  statement(db, refuseBeyond(sql`SELECT count(*) FROM vulns WHERE org_id = ${org_id}`, maxPrivateVulns))

function isFull() {
  const limit = maxPrivateVulns.toLocaleString('en-US')
  return new Failure(409, 'quota', `Your organization has ${limit} vulnerabilities of its own: it may keep no more`)
}
