import { and, eq, sql } from 'drizzle-orm'
import type { By } from '../auth/audited-by'
import { beside } from '../db/beside'
import { isAborted, refuseBeyond } from '../db/guard'
import type { Db } from '../db/open'
import { statement, writeAndRead } from '../db/statement'
import { laterThan } from '../db/time'
import type { Actor } from '../domain/people/access'
import { newOpenName, newPrivateName } from '../domain/names/cve'
import type { AffectedProduct, VulnRecord } from '../domain/words/record'
import { saveManual, Superseded, type WriteBatch } from '../merge/save-records'
import { Failure, forbidden, invalid } from '../http/errors'
import { unpackBody, bodyHex } from '../merge/record-body'
import { auditedForAll } from '../orgs/operator-log'
import { vulnRecords, vulns } from '../schema/vulns'
import { requireVuln } from '../watchlist/visible'
import { isMonitored } from '../watchlist/monitored'
import { setKept } from '../monitoring/set-items'
import { setMonitored } from '../watchlist/set-monitored'
import type { AddForm, ProductChoice, VulnForm } from './contract'
import { formRecord, toAffected } from './form-record'

export const maxPrivateVulns = 1_000

type Writer = By & { db: Db }

/** One with a `key` was brought along from elsewhere: it is private, and no news. */
export async function createVuln({ db, ...by }: Writer, { scope, ...form }: AddForm, key?: string) {
  const { actor, now } = by
  const { cve_id } = form
  if (scope === 'public' && !actor.is_admin) throw forbidden('Only a global admin adds what everybody sees')
  const isPublic = actor.is_admin && scope !== 'private'
  const name = isPublic ? (cve_id ?? newOpenName()) : newPrivateName(actor.org_id, key)
  const [, toRecord] = await beside(cve_id ? refuseKnown(db, cve_id) : Promise.resolve(), readyRecord(db, form))
  const record = toRecord(name, isPublic)
  // A private vulnerability is not the CVE itself, but has its id as an alias.
  const aliases = !isPublic && cve_id ? { aliases: [cve_id] } : {}
  const quota = isPublic ? [] : [withinQuota(db, actor.org_id)]
  const saving = { now, replaces: null, is_backfill: key !== undefined }
  const { hasNews, read } = await saveAndRead(
    db,
    (send) =>
      saveManual(db, { ...record, ...aliases }, { ...saving, send: (statements) => send([...statements, ...quota]) }),
    async (after) => after.select({ id: vulns.id }).from(vulns).where(eq(vulns.cveid, name)),
  ).catch(async (error: unknown) => {
    if (error instanceof Superseded) await refuseKnown(db, name)
    throw isAborted(error, 'quota') ? isFull() : error
  })
  const id = read[0]?.id ?? 0
  if (isPublic) await tellPublished(db, id, cve_id, by)
  if (form.monitored) await setMonitored(db, actor.org_id, { kind: 'vuln', ids: [id], monitored: true, now })
  return { id, hasNews }
}

type Edit = VulnForm & { id: number; version?: string | null | undefined }

/** The records of feeds stay; edits win. */
export async function updateVuln({ db, ...by }: Writer, { id, version, ...form }: Edit) {
  const { actor } = by
  const [vuln, [toRecord, before]] = await beside(
    requireEditable(db, actor, id),
    Promise.all([readyRecord(db, form), findManual(db, id)]),
  )
  const record = toRecord(vuln.cveid ?? '', vuln.org_id === null)
  const { hasNews, read } = await replaceManual(by, { db, id, version, record }, before)
  if (vuln.org_id === null) await tellPublished(db, id, vuln.cveid, by)
  if (read[0]?.monitored !== form.monitored)
    await setKept(db, { kind: 'vuln', ids: [id], monitored: form.monitored }, by)
  return { id, hasNews }
}

const tellPublished = (db: Db, id: number, cveid: string | null | undefined, by: By) =>
  auditedForAll(db, { action: 'vuln.publish', target: cveid ?? `PH-${id}` }, by)

/** Others may write at the same time; an edit without a version is retried after them. */
const maxTries = 5

type Manual = Awaited<ReturnType<typeof findManual>>
type Replacement = { db: Db; id: number; version: string | null | undefined; record: VulnRecord }

/** Reads with it whether the organization monitors it afterwards. */
async function replaceManual(
  { actor, now }: Pick<By, 'actor' | 'now'>,
  replacement: Replacement,
  before: Manual,
  tries = 1,
) {
  const { db, id, version, record } = replacement
  const replaces = before?.modified ?? null
  if (version !== undefined && version !== replaces) throw changedMeanwhile()

  const aliases = before?.record.aliases && { aliases: before.record.aliases }
  try {
    return await saveAndRead(
      db,
      (send) => saveManual(db, { ...record, ...aliases }, { now: laterThan(replaces, now), replaces, send }),
      async (after) =>
        after
          .select({ monitored: isMonitored(actor.org_id).as('monitored') })
          .from(vulns)
          .where(eq(vulns.id, id)),
    )
  } catch (error) {
    if (!(error instanceof Superseded)) throw error
    if (version !== undefined || tries === maxTries) throw changedMeanwhile()
    return replaceManual({ actor, now }, replacement, await findManual(db, id), tries + 1)
  }
}

/** The merge, and what it left. */
async function saveAndRead<Row>(
  db: Db,
  save: (send: WriteBatch) => ReturnType<typeof saveManual>,
  find: (after: Db) => Promise<Row[]>,
) {
  let read: Row[] = []
  const { hasNews } = await save(async (statements) => {
    read = await writeAndRead(db, (reads) => db.$client.batch([...statements, ...reads]), find)
  })
  return { hasNews, read }
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

/** Looks up what the form names, in one turn. */
async function readyRecord(db: Db, form: VulnForm) {
  const [products, unknown] = await beside(getProducts(db, form.products), findUnknown(db, form))
  return (name: string, isPublic: boolean): VulnRecord => {
    // A name that only this organization uses must not appear in everybody's list of products.
    if (unknown && !isPublic) throw notKnown(unknown)
    return formRecord(name, form, products)
  }
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

async function findUnknown(db: Db, { cpes }: VulnForm) {
  const affected = toAffected(cpes, [])
  if (!affected.length) return undefined
  const names = affected.map(({ vendor, product }) => [vendor, product])
  const known = await db.all<{ vendor: string; name: string }>(
    sql`SELECT p.vendor, p.name FROM json_each(${JSON.stringify(names)}) j JOIN products p ON p.vendor = j.value->>0 AND p.name = j.value->>1`,
  )
  return affected.find(({ vendor, product }) => !known.some((one) => one.vendor === vendor && one.name === product))
}

const notKnown = ({ vendor, product }: AffectedProduct) =>
  invalid([{ path: ['cpes'], message: `The knowledge base has no product ${vendor}:${product}` }])

const withinQuota = (db: Db, org_id: number) =>
  statement(db, refuseBeyond(sql`SELECT count(*) FROM vulns WHERE org_id = ${org_id}`, maxPrivateVulns))

function isFull() {
  const limit = maxPrivateVulns.toLocaleString('en-US')
  return new Failure(409, 'quota', `Your organization has ${limit} vulnerabilities of its own: it may keep no more`)
}
