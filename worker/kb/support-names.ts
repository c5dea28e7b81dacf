import { sql } from 'drizzle-orm'
import type * as z from 'zod'
import { getActorName, type By } from '../auth/audited-by'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { listNameForms } from '../domain/names/support-names'
import type { Release } from '../domain/versions/end-of-life'
import { Failure, notFound } from '../http/errors'
import { auditedForAll } from '../orgs/operator-log'
import type { confirmSupportName, SupportName } from './names-contract'

type Stored = { id: string; label: string; releases: string; words: string }
type Named = SupportName['confirmed'][number] & { id: string }
type Proposed = SupportName['proposed'][number] & { id: string }
/** So many are proposed of each. */
const maxProposed = 10

/** Those to which nothing leads but what people said. */
const withoutIds = sql`SELECT l.id, l.label, l.releases, l.words FROM lifecycles l
  WHERE NOT EXISTS (SELECT 1 FROM lifecycle_names n WHERE n.lifecycle_id = l.id AND n.confirmed_by IS NULL)
  ORDER BY l.label COLLATE NOCASE`

export async function findSupportNames(db: Db): Promise<SupportName[]> {
  const [stored, confirmed] = await Promise.all([
    db.all<Stored>(withoutIds),
    db.all<Named>(sql`
      SELECT n.lifecycle_id AS id, p.id AS product_id, p.vendor, p.name, n.release, n.confirmed_by FROM lifecycle_names n
      CROSS JOIN products p ON p.vendor = n.first AND p.name = n.name WHERE n.kind = 'product' AND n.confirmed_by IS NOT NULL`),
  ])
  const forms = stored.flatMap(({ id, label, words, releases }) =>
    listNameForms(
      [id, label, ...(JSON.parse(words) as string[])],
      (JSON.parse(releases) as Release[]).map(({ name }) => name),
    ).map(({ vendor, name, release }) => [id, vendor, name, release]),
  )
  const found = await db.all<Proposed>(sql`
    SELECT j.value ->> 0 AS id, p.id AS product_id, p.vendor, p.name, j.value ->> 3 AS release
    FROM json_each(${JSON.stringify(forms)}) j CROSS JOIN products p ON p.name = j.value ->> 2
    WHERE coalesce(j.value ->> 1, p.vendor) = p.vendor ORDER BY p.vulns_count DESC, p.id`)
  const [confirmedBy, foundBy] = [confirmed, found].map((rows) => Map.groupBy<string, Named | Proposed>(rows, byId))
  return stored.map(({ id, label }) => {
    const known = (confirmedBy?.get(id) ?? []) as Named[]
    const isOpen = ({ product_id }: Proposed) => !known.some((named) => named.product_id === product_id)
    const open = new Map((foundBy?.get(id) ?? []).filter(isOpen).map((proposal) => [proposal.product_id, proposal]))
    return {
      id,
      label,
      link: `https://endoflife.date/${encodeURIComponent(id)}`,
      confirmed: known,
      proposed: [...open.values()].slice(0, maxProposed),
    }
  })
}
const byId = ({ id }: { id: string }) => id

type Word = z.output<NonNullable<typeof confirmSupportName.body>> & { id: string }

export async function setSupportName(db: Db, { id, product_id, release = null, confirmed }: Word, by: By) {
  const [[lifecycle], [product], name] = await Promise.all([
    db.all<Pick<Stored, 'releases'>>(sql`SELECT releases FROM lifecycles WHERE id = ${id}`),
    db.all<{ vendor: string; name: string }>(sql`SELECT vendor, name FROM products WHERE id = ${product_id}`),
    getActorName(db, by.actor),
  ])
  if (!lifecycle) throw notFound('Product of endoflife.date')
  if (!product) throw notFound('Product')
  if (release !== null && !(JSON.parse(lifecycle.releases) as Release[]).some((listed) => listed.name === release))
    throw new Failure(400, 'invalid', 'endoflife.date lists no such release')
  const key = sql`kind = 'product' AND first = ${product.vendor} AND name = ${product.name} AND lifecycle_id = ${id}`
  const write = statement(
    db,
    confirmed
      ? sql`INSERT INTO lifecycle_names(kind, first, name, lifecycle_id, release, confirmed_by)
          VALUES ('product', ${product.vendor}, ${product.name}, ${id}, ${release}, ${name})
          ON CONFLICT DO UPDATE SET release = excluded.release, confirmed_by = excluded.confirmed_by WHERE confirmed_by IS NOT NULL`
      : sql`DELETE FROM lifecycle_names WHERE ${key} AND confirmed_by IS NOT NULL`,
  )
  const target = `${product.vendor}:${product.name}`
  await auditedForAll(
    db,
    { action: confirmed ? 'support.confirm' : 'support.refuse', target, detail: { id, release } },
    by,
    [write],
  )
}
