import { eq, sql, type SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import type { WeaknessRefs } from './contract'
import { patternTechniques, techniques, weaknesses, weaknessPatterns } from '../schema/taxonomy'

/** Null for texts like `NVD-CWE-Other`. */
export const cweNumber = (cwe_id: string) => Number(/^CWE-(\d+)$/i.exec(cwe_id)?.[1] ?? 0) || null

type FindWeaknesses = (cwe_ids: string[]) => Weaknesses
export type Weaknesses = {
  /** The name of the first id that CWE knows. */
  cwe_name: string | null
  /** Attack patterns and techniques that use any of them, each once. */
  cwe_refs: WeaknessRefs
  /** Names by CWE id. */
  cwe_names: Record<string, string>
}

export async function findEachWeakness(db: Db, all: string[]): Promise<FindWeaknesses> {
  const numbers = toNumbers(all)
  if (numbers.length === 0) return () => ({ cwe_name: null, cwe_refs: noRefs(), cwe_names: {} })
  return readWeaknesses(db, listed(numbers))
}

/** Knows the first id of a vulnerability, without waiting for what its records say. */
export const findFirstWeakness = (db: Db, vuln_id: number) =>
  readWeaknesses(
    db,
    sql`SELECT CAST(substr(v.cwe_id, 5) AS INTEGER) FROM vulns v WHERE v.id = ${vuln_id} AND v.cwe_id LIKE 'CWE-%'`,
  )

async function readWeaknesses(db: Db, numbers: SQL): Promise<FindWeaknesses> {
  const [names, rows] = await db.batch([
    db
      .select({ id: weaknesses.id, name: weaknesses.name })
      .from(weaknesses)
      .where(sql`${weaknesses.id} IN (${numbers})`),
    selectRefs(db, numbers),
  ])
  const refs = byWeakness(rows)
  const byId = new Map(names.map(({ id, name }) => [id, name]))
  return (cwe_ids) => {
    const own = toNumbers(cwe_ids)
    const first = own.find((id) => byId.has(id))
    return {
      cwe_name: first === undefined ? null : (byId.get(first) ?? null),
      cwe_refs: mergeRefs(own.flatMap((id) => refs.get(id) ?? [])),
      cwe_names: Object.fromEntries(own.flatMap((id) => (byId.has(id) ? [[`CWE-${id}`, byId.get(id) ?? '']] : []))),
    }
  }
}

const toNumbers = (cwe_ids: string[]) => [...new Set(cwe_ids.flatMap((cwe_id) => cweNumber(cwe_id) ?? []))]

export const findRefs = async (db: Db, numbers: number[]) => byWeakness(await selectRefs(db, listed(numbers)))

const selectRefs = (db: Db, numbers: SQL) =>
  db
    .select({
      weakness_id: weaknessPatterns.weakness_id,
      pattern_id: weaknessPatterns.pattern_id,
      external_id: techniques.external_id,
      url: techniques.url,
      description: techniques.name,
    })
    .from(weaknessPatterns)
    .leftJoin(patternTechniques, eq(patternTechniques.pattern_id, weaknessPatterns.pattern_id))
    .leftJoin(techniques, eq(techniques.external_id, patternTechniques.external_id))
    .where(sql`${weaknessPatterns.weakness_id} IN (${numbers})`)
    .orderBy(weaknessPatterns.weakness_id, weaknessPatterns.pattern_id, patternTechniques.external_id)

function byWeakness(rows: Awaited<ReturnType<typeof selectRefs>>) {
  const refs = new Map<number, WeaknessRefs>()
  for (const { weakness_id, pattern_id, external_id, url, description } of rows) {
    // Leaves out techniques that ATT&CK has withdrawn.
    const technique = external_id && url && description ? [{ external_id, url, description }] : []
    const found = { CAPEC: [`CAPEC-${pattern_id}`], 'MITRE-ATTACK': technique }
    refs.set(weakness_id, mergeRefs([refs.get(weakness_id) ?? noRefs(), found]))
  }
  return refs
}

export const noRefs = (): WeaknessRefs => ({ CAPEC: [], 'MITRE-ATTACK': [] })

function mergeRefs(list: WeaknessRefs[]): WeaknessRefs {
  const known = list.flatMap((refs) => refs['MITRE-ATTACK'])
  return {
    CAPEC: [...new Set(list.flatMap(({ CAPEC }) => CAPEC))],
    'MITRE-ATTACK': [...new Map(known.map((technique) => [technique.external_id, technique])).values()],
  }
}

const listed = (numbers: number[]) => sql`SELECT value FROM json_each(${JSON.stringify(numbers)})`
