import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { parseCpe, versionInCpe, versionlessInCpe } from '../domain/names/cpe'
import { describeRange } from '../domain/versions/range'
import { judgeStored, type StoredStatement } from '../exposure/compile'
import { tables } from '../exposure/statements'
import { requireVuln } from '../watchlist/visible'

type NamedVersion = { version: string; product?: number | undefined; package?: number | undefined }

/** The version may be that of a CPE name. */
export async function testAffected(db: Db, org_id: number, vuln_id: number, { version: text, ...named }: NamedVersion) {
  await requireVuln(db, org_id, vuln_id)
  const cpe = parseCpe(text)
  const version = (cpe && (versionInCpe(cpe) ?? versionlessInCpe(cpe))) ?? text
  const kind = named.product === undefined ? 'package' : 'product'
  const [affected, id] = [tables[kind].affected, tables[kind].id].map((name) => sql.raw(name))
  const rows = await db.all<StoredStatement>(
    sql`SELECT a.source, a.ranges FROM ${affected} a WHERE a.vuln_id = ${vuln_id} AND a.${id} = ${named[kind] ?? 0}`,
  )
  const { by, range, ...answer } = judgeStored(version, rows, { kind: cpe ?? undefined })
  return {
    ...answer,
    range: range && describeRange(range),
    by: by.map((verdict) => ({ ...verdict, range: verdict.range && describeRange(verdict.range) })),
  }
}
