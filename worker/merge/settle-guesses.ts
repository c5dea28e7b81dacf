import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { resolveAlias } from '../domain/names/product-names'
import type { ProductName, VulnRecord } from '../domain/words/record'

/** Guesses that name a known product become names; the others are dropped. */
export async function settleGuesses(db: Db, records: VulnRecord[]): Promise<VulnRecord[]> {
  const guesses = records.flatMap(({ guesses: own = [] }) => own.map(resolveAlias))
  if (!guesses.length) return records
  const answers = await db.$client.batch<ProductName>(
    bulk(
      db,
      `SELECT DISTINCT p.vendor, p.name AS product FROM jsonb_each(?1) j
       JOIN products p ON p.vendor = j.value->>0 AND p.name = j.value->>1 WHERE p.vulns_count > 0`,
      guesses.map(({ vendor, product }) => [vendor, product]),
    ),
  )
  const known = new Set(answers.flatMap(({ results }) => results.map(joinNames)))
  return records.map(({ guesses: own = [], ...record }) => {
    const named = own.map(resolveAlias).filter((name) => known.has(joinNames(name)))
    return named.length ? { ...record, named } : record
  })
}

const joinNames = ({ vendor, product }: ProductName) => `${vendor}:${product}`
