import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { literal, valuesTable } from '../db/values'
import type { VersionOrder } from '../domain/words/record'
import type { NameJudge } from '../domain/versions/compiled'
import { findSafeUpgrade } from '../domain/versions/upgrade'
import { packageOrder } from '../domain/versions/versions'
import { findOwnRelease } from '../domain/versions/end-of-life'
import { parseAskedVersion } from '../domain/query/asked-version'
import { listVariants, spellNames } from '../domain/query/spoken-names'
import { requestComparisons } from '../exposure/budget'
import { compileStatements, type GroupedRow } from '../exposure/compile'
import { distributionTypes } from '../exposure/targets'
import { findLifecycles } from '../taxonomy/lifecycles'
import { containing, productsNamed } from '../vulns/names'
import { isVisible } from '../watchlist/visible'
import type { VersionAnswer } from './contract'

/** So many products and packages of a name are answered, those with the most vulnerabilities. */
const maxNamed = 3

type Named = Pick<VersionAnswer, 'type' | 'id' | 'group' | 'name' | 'vulns_count'>

/** Vulnerabilities of a version, if the text names a product or package and one of its versions. */
export async function answerVersion(
  db: Db,
  org_id: number,
  { term, now }: { term: string; now: Date },
): Promise<VersionAnswer[]> {
  const asked = parseAskedVersion(term)
  if (!asked || (await isName(db, term))) return []
  const answers: VersionAnswer[] = []
  let left = requestComparisons
  for (const named of await findNamed(db, asked.name)) {
    left -= named.vulns_count
    const [lifecycle] = await findLifecycles(db, { kind: named.type, first: named.group, name: named.name }, now)
    answers.push({
      ...named,
      version: asked.version,
      release: (lifecycle && findOwnRelease(lifecycle, asked.version)) ?? null,
      ...(left < 0 ? { counts: null, free: null } : await countAffecting(db, org_id, named, asked.version)),
    })
  }
  return answers
}

/** `windows 10 1809` is a product of its own. */
const isName = async (db: Db, term: string) =>
  (await db.all(sql`${productsNamed('eq', term.trim())} LIMIT 1`)).length > 0

/** With products whose name goes on, and those of a vendor: `vcenter`, `apache`. Without builds of distributions, whose versions are not those of the upstream project. */
function findNamed(db: Db, text: string) {
  const [asked = [], ...variants] = listVariants(text)
  const begun = `${asked.join('_')}_`
  const ofVendor = ([vendor = '', ...name]: string[]) => productsNamed('eq', `${vendor}:${name.join('_')}`)
  const { own, others } = spellNames(text)
  const names = [...own, ...others].map(literal)
  const isLast = names.flatMap((name) => [
    sql`instr('/' || p.name || char(10), '/' || ${name} || char(10)) > 0`,
    sql`instr(':' || p.name || char(10), ':' || ${name} || char(10)) > 0`,
  ])
  const found = sql`SELECT 'product' AS type, p.id, p.vendor AS "group", p.name, p.vulns_count FROM products p
      WHERE p.id IN (SELECT n.id FROM products n WHERE n.name IN (${sql.join(names, sql`, `)}) UNION ${ofVendor(asked)} UNION ${ofVendor(variants.at(-1) ?? asked)}
        UNION SELECT b.id FROM products b WHERE b.name >= ${begun} AND b.name < ${`${begun}\u{10ffff}`}
        UNION SELECT o.id FROM products o WHERE o.vendor = ${begun.slice(0, -1)})
    UNION ALL SELECT 'package', p.id, p.type, p.name, p.vulns_count FROM packages p
      WHERE p.id IN (SELECT n.id FROM packages n WHERE n.name IN (${sql.join(names, sql`, `)}) UNION ${containing('packages', text)})
      AND p.type NOT IN ${valuesTable(distributionTypes)} AND (${sql.join(isLast, sql` OR `)})`
  return db.all<Named>(
    sql`SELECT * FROM (${found}) WHERE vulns_count > 0 ORDER BY vulns_count DESC, id LIMIT ${maxNamed}`,
  )
}

async function countAffecting(db: Db, org_id: number, { type, id, group, name }: Named, version: string) {
  const rows = await db.all<GroupedRow & { exploited: string }>(sql`
    SELECT a.source, a.ranges, json_group_array(a.vuln_id) AS vuln_ids,
      json_group_array(a.vuln_id) FILTER (WHERE vulns.is_in_the_wild) AS exploited
    FROM ${links[type]} l CROSS JOIN vulns ON vulns.id = l.vuln_id AND vulns.state <> 'rejected' AND ${isVisible(org_id)}
    CROSS JOIN ${affected[type]} a ON a.vuln_id = l.vuln_id AND a.${columns[type]} = l.${columns[type]}
    WHERE l.${columns[type]} = ${id} GROUP BY 1, 2`)
  const exploited = new Set(rows.flatMap((row) => JSON.parse(row.exploited) as number[]))
  const { judge } = compileStatements(rows, { name: `${type} ${name}` })
  const verdicts = judge({ version })
  const idsWith = (wanted: string) => verdicts.flatMap(([said, { status }]) => (status === wanted ? said.vuln_ids : []))
  const affecting = idsWith('affected')
  const counts = {
    affected: affecting.length,
    exploited: affecting.filter((vuln_id) => exploited.has(vuln_id)).length,
    unknown: idsWith('unknown').length,
  }
  return { counts, free: findFree(judge, version, type === 'package' ? packageOrder(group) : 'loose') }
}

function findFree(judge: NameJudge, version: string, order: VersionOrder) {
  const stand = (at: string) =>
    judge({ version: at }).flatMap(([{ vuln_ids }, verdict]) => vuln_ids.map((vuln_id) => ({ ...verdict, vuln_id })))
  const { to, still } = findSafeUpgrade(version, order, stand)
  if (to === version) return null
  const left = new Set(still)
  const ended = stand(version).filter(({ status, vuln_id }) => status === 'affected' && !left.has(vuln_id))
  return { version: to, is_stated: ended.every(({ fixed_in }) => fixed_in !== null), still: left.size }
}

type ByType = Record<Named['type'], SQL>
const links: ByType = { product: sql.raw('vuln_products'), package: sql.raw('vuln_packages') }
const affected: ByType = { product: sql.raw('affected'), package: sql.raw('affected_packages') }
const columns: ByType = { product: sql.raw('product_id'), package: sql.raw('package_id') }
