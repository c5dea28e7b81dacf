import { sql } from 'drizzle-orm'
import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { parsePurl } from '../domain/purl'
import { findRelease } from '../domain/purl-release'
import type { VersionOrder } from '../domain/record'
import { findSafeUpgrade } from '../domain/upgrade'
import type { Standing } from '../domain/upgrade'
import { packageOrder } from '../domain/versions'
import { compileStatements } from '../exposure/compile'
import type { CompiledName } from '../exposure/compile'
import { findItems, readStatements, targetKey } from '../exposure/statements'
import { findTargets } from '../exposure/targets'
import type { MatchTarget } from '../exposure/targets'
import type { Upgrade } from './contract'

/** An upgrade with the names by which its component is looked for. */
export type PlannedUpgrade = Upgrade & { purl: string | null; cpe: string | null }

export const orderFor = (purl: string | null): VersionOrder =>
  packageOrder((purl && parsePurl(purl)?.type) || 'generic')

const kinds = ['package', 'product'] as const
const links = { package: sql.raw('vuln_packages'), product: sql.raw('vuln_products') }
const itemIds = { package: sql.raw('package_id'), product: sql.raw('product_id') }

/** No version is advised that another exploited vulnerability of the same name affects, where a source names a higher one. */
export async function makeSafe(db: Db, org_id: number, upgrades: PlannedUpgrade[]): Promise<Upgrade[]> {
  const planned = upgrades.map((upgrade) => ({
    upgrade,
    targets: findTargets({ ...upgrade, version: upgrade.version }),
  }))
  const compiled = new Map<string, CompiledName>()
  for (const kind of kinds) {
    const targets = planned.flatMap((one) => one.targets.filter((target) => target.kind === kind))
    for (const [name, own] of await compileExploited(db, org_id, { kind, targets }))
      compiled.set(`${kind} ${name}`, own)
  }
  const raised = planned.map(({ upgrade: { purl, cpe: _, ...upgrade }, targets }) => {
    const judge = (version: string) => targets.flatMap((target) => judgeTarget(version, target, compiled))
    return { upgrade, raised: findSafeUpgrade(upgrade.to, orderFor(purl), judge) }
  })
  const named = await findIds(
    db,
    raised.flatMap(({ raised: { because, still } }) => [...still, ...(because === null ? [] : [because])]),
  )
  return raised.map(({ upgrade, raised: { to, because, still } }) => ({
    ...upgrade,
    to,
    because: because === null ? upgrade.because : (named.get(because) ?? null),
    still: still.slice(0, shownStill).flatMap((id) => named.get(id) ?? []),
  }))
}

const shownStill = 10

function judgeTarget(version: string, target: MatchTarget, compiled: Map<string, CompiledName>): Standing[] {
  const own = compiled.get(`${target.kind} ${targetKey(target)}`)
  if (!own) return []
  const on = target.purl ? findRelease(target.purl, own.releases) : undefined
  return own
    .judge({ version, on, kind: target.attributes ?? undefined })
    .flatMap(([{ vuln_ids }, verdict]) => vuln_ids.map((vuln_id) => ({ ...verdict, vuln_id })))
}

type Wanted = { kind: MatchTarget['kind']; targets: MatchTarget[] }

async function compileExploited(db: Db, org_id: number, { kind, targets }: Wanted) {
  const items = await findItems(db, kind, targets)
  if (!items.length) return []
  const ids = JSON.stringify(items.map(({ id }) => id))
  const found = await db.all<{ vuln_id: number }>(sql`
    SELECT DISTINCT l.vuln_id FROM jsonb_each(${ids}) j CROSS JOIN ${links[kind]} l ON l.${itemIds[kind]} = j.value
    CROSS JOIN vulns v ON v.id = l.vuln_id WHERE v.kev_added_at IS NOT NULL AND v.org_id IS NULL`)
  if (!found.length) return []
  const compiled: [name: string, own: CompiledName][] = []
  const only = found.map(({ vuln_id }) => vuln_id)
  for await (const chunk of readStatements(db, org_id, { kind, names: targets, only }))
    for (const [name, rows] of chunk) if (rows.length) compiled.push([name, compileStatements(rows, { name })])
  return compiled
}

async function findIds(db: Db, vuln_ids: number[]) {
  const statements = bulk(db, 'SELECT v.id, v.cveid FROM jsonb_each(?1) j CROSS JOIN vulns v ON v.id = j.value', [
    ...new Set(vuln_ids),
  ])
  if (!statements.length) return new Map<number, { id: number; cveid: string | null }>()
  const answers = await db.$client.batch<{ id: number; cveid: string | null }>(statements)
  return new Map(answers.flatMap(({ results }) => results).map((row) => [row.id, row]))
}
