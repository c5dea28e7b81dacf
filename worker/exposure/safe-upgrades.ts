import { sql } from 'drizzle-orm'
import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { findRelease } from '../domain/names/purl-release'
import type { VersionOrder } from '../domain/words/record'
import { findSafeUpgrade } from '../domain/versions/upgrade'
import type { OtherVuln, Standing } from '../domain/versions/upgrade'
import { compileStatements } from './compile'
import type { CompiledName } from './compile'
import { findItems, readStatements, targetKey } from './statements'
import type { AskedPair, JudgedItem } from './statements'
import type { MatchTarget } from './targets'

/** A version that fixes something, and the names under which others are said of it. */
export type PlannedVersion = {
  to: string
  order: VersionOrder
  targets: MatchTarget[]
  /** It counts, too, where it is not known to be exploited. */
  vuln_id?: number
}
/** `because` asks for a higher version than the planned one; `still` are those that affect `to`, too. */
export type SafeVersion = { to: string; because: OtherVuln | null; still: OtherVuln[] }

const kinds = ['package', 'product'] as const
const links = { package: sql.raw('vuln_packages'), product: sql.raw('vuln_products') }
const itemIds = { package: sql.raw('package_id'), product: sql.raw('product_id') }

/** No version is advised that another exploited vulnerability of the same name affects, where a source names a higher one. */
export async function makeSafe(db: Db, org_id: number, planned: PlannedVersion[]): Promise<SafeVersion[]> {
  const compiled = new Map<string, CompiledName>()
  const exploited = new Set<number>()
  const read = async (kind: MatchTarget['kind']) => {
    const targets = planned.flatMap((one) => one.targets.filter((target) => target.kind === kind))
    const items = await findItems(db, kind, targets)
    if (!items.length) return
    const found = await findExploited(db, kind, items)
    for (const [id] of found) exploited.add(id)
    const only = [...found, ...listOwn(kind, planned, items)]
    for await (const chunk of readStatements(db, org_id, { kind, items, only }))
      for (const [name, rows] of chunk)
        if (rows.length) compiled.set(`${kind} ${name}`, compileStatements(rows, { name }))
  }
  await Promise.all(kinds.map(read))
  const raised = planned.map(({ to, order, targets, vuln_id }) => {
    const counts = (standing: Standing) => standing.vuln_id === vuln_id || exploited.has(standing.vuln_id)
    const judge = (version: string) => targets.flatMap((one) => judgeTarget(version, one, compiled)).filter(counts)
    return findSafeUpgrade(to, order, judge)
  })
  const named = await findIds(
    db,
    raised.flatMap(({ because, still }) => [...still, ...(because === null ? [] : [because])]),
  )
  return raised.map(({ to, because, still }) => ({
    to,
    because: because === null ? null : (named.get(because) ?? null),
    still: still.slice(0, shownStill).flatMap((id) => named.get(id) ?? []),
  }))
}

const shownStill = 10

/** What the planned versions fix, of the items that they are said of. */
function listOwn(kind: MatchTarget['kind'], planned: PlannedVersion[], items: JudgedItem[]) {
  const byName = new Map(items.map((item) => [targetKey(item), item.id]))
  return planned.flatMap(({ vuln_id, targets }) =>
    targets.flatMap((target): AskedPair[] => {
      const item_id = target.kind === kind ? byName.get(targetKey(target)) : undefined
      return vuln_id === undefined || item_id === undefined ? [] : [[vuln_id, item_id]]
    }),
  )
}

function judgeTarget(version: string, target: MatchTarget, compiled: Map<string, CompiledName>): Standing[] {
  const own = compiled.get(`${target.kind} ${targetKey(target)}`)
  if (!own) return []
  const on = target.purl ? findRelease(target.purl, own.releases) : undefined
  return own
    .judge({ version, on, kind: target.attributes ?? undefined })
    .flatMap(([{ vuln_ids }, verdict]) => vuln_ids.map((vuln_id) => ({ ...verdict, vuln_id })))
}

/** With more vulnerabilities than are known to be exploited, those are looked through instead. */
const manyVulns = 2_000

async function findExploited(db: Db, kind: MatchTarget['kind'], items: JudgedItem[]) {
  const ids = JSON.stringify(items.map(({ id }) => id))
  const isMany = items.reduce((sum, { vulns_count }) => sum + vulns_count, 0) > manyVulns
  const from = isMany
    ? sql`vulns v CROSS JOIN ${links[kind]} l ON l.vuln_id = v.id AND l.${itemIds[kind]} IN (SELECT j.value FROM jsonb_each(${ids}) j)`
    : sql`jsonb_each(${ids}) j CROSS JOIN ${links[kind]} l ON l.${itemIds[kind]} = j.value CROSS JOIN vulns v ON v.id = l.vuln_id`
  return db.values<AskedPair>(
    sql`SELECT DISTINCT l.vuln_id, l.${itemIds[kind]} FROM ${from} WHERE v.kev_added_at IS NOT NULL AND v.org_id IS NULL`,
  )
}

async function findIds(db: Db, vuln_ids: number[]) {
  const statements = bulk(db, 'SELECT v.id, v.cveid FROM jsonb_each(?1) j CROSS JOIN vulns v ON v.id = j.value', [
    ...new Set(vuln_ids),
  ])
  if (!statements.length) return new Map<number, OtherVuln>()
  const answers = await db.$client.batch<OtherVuln>(statements)
  return new Map(answers.flatMap(({ results }) => results).map((row) => [row.id, row]))
}
