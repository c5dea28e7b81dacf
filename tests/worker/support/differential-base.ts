import { composeProbability, computeLev } from '../../../worker/domain/scores/lev'
import { countedTables } from '../../support/stored-counts'
import { catchUp } from './catch-up'
import { rows } from './org'
import type { Scanned } from './plain-scan'
import type { World } from './world'
import { unpackRanges } from '../../../worker/domain/versions/stored-ranges'

const total = 9_000
const epssDay = '2026-11-20'
const epssCursor = JSON.stringify({ score_date: epssDay })

/** Values spread so that some are rare, some common, and old and new ones differ. */
export async function fillDifferential(world: World, org_id: number) {
  const run = (sql: string, ...values: unknown[]) => rows(world.env, sql, ...values)
  const numbers = (to: number) => `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${to})`
  await run(`${numbers(40)} insert into vendors(id, name, updated_at) select i, 'vendor_' || i, '' from n`)
  await run(`${numbers(200)} insert into products(id, vendor_id, vendor, name, updated_at)
    select i, 1 + i % 40, 'vendor_' || (1 + i % 40), 'product_' || i, '' from n`)
  // More products of a name than are looked up before the list.
  await run(`${numbers(1_001)} insert into vendors(id, name, updated_at) select 1000 + i, 'maker_' || i, '' from n`)
  await run(`${numbers(1_001)} insert into products(id, vendor_id, vendor, name, updated_at)
    select 1000 + i, 1000 + i, 'maker_' || i, 'everywhere', '' from n`)
  await run(
    `${numbers(50)} insert into packages(id, type, name, updated_at) select i, 'npm', 'package-' || i, '' from n`,
  )
  await run(
    `${numbers(total)} insert into vulns(id, org_id, cveid, state, summary, keywords, published, cvss, cvss_vector, cvss3, cvss3_vector, cvss4,
      access, impact, cwe_id, score, epss, epss_percentile, kev_added_at, kev_due_at, kev_ransomware, is_exploitable, is_confirmed, is_in_the_news, is_in_the_wild, exploit_count, created_at, updated_at)
    select i, case i % 150 when 3 then ?1 when 4 then ?1 + 1 end, 'CVE-' || (2015 + i % 10) || '-' || (10000 + i), case when i % 97 = 5 then 'rejected' else 'published' end,
      case when i % 300 = 0 then 'A rare hole in a kernel' when i % 170 = 2 then 'A flaw that MS17-010 mends' when i % 3 = 0 then 'Remote code execution of kind ' || (i % 40) else 'A flaw of kind ' || (i % 40) end,
      case when i % 120 = 0 then 'cisakev ' else '' end || case when i % 11 = 0 then 'apache widget' else '' end || case when i % 70 = 9 then ' ms17010' else '' end,
      1420070400 + (i * 37 % ${total}) * 38000, nullif(i % 101, 7) / 10.0, case when i % 5 = 0 then 'AV:L/AC:H/Au:S/C:P/I:C/A:N' else 'AV:N/AC:L/Au:N/C:P/I:P/A:P' end,
      case when i > ${total - 2_000} then null else (i % 101) / 10.0 end,
      case when i % 400 = 0 then 'CVSS:3.1/AV:P/AC:H/PR:H/UI:N/S:C/C:H/I:H/A:L' when i % 2 = 0 then 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' end,
      case when i % 7 = 0 then (i % 97) / 10.0 end, substr('NALNNNNN', 1 + i % 8, 1) || substr('LMHLL', 1 + i % 5, 1) || 'N', substr('NPC', 1 + i % 3, 1) || 'PP',
      'CWE-' || (i % 30), nullif(i % 101, 3), (i % 1000) / 1000.0, (i % 1000) * (2000 - i % 1000) / 1000000.0, case when i % 120 = 0 then '2024-01-01' end,
      case when i % 240 = 0 then date('now', (i / 120 - 30) || ' days') when i % 120 = 0 then '2021-01-01' end, case when i % 120 = 0 then i % 480 = 0 end, i % 9 = 0, i % 200 = 0, i % 350 = 0, i % 2 = 0,
      case when i % 9 = 0 then i % 5 else 0 end, 1420070400, 1600000000 + (i * 7919 % ${total}) * 300 from n`,
    org_id,
  )
  await run(`insert into vuln_products(vuln_id, product_id, vendor_id, since_seq, touched, org_id)
    select v.id, p.id, p.vendor_id, 0, v.updated_at, v.org_id from vulns v join products p on p.id in (1 + v.id * 31 % 200, 1 + v.id % 3, iif(v.id % 8 = 5, 1000 + v.id % 1000, 0))`)
  await run(`insert into vuln_packages(vuln_id, package_id, since_seq, touched, org_id)
    select id, 1 + id % 50, 0, updated_at, org_id from vulns where id % 4 = 0`)
  await run(`insert into affected(vuln_id, product_id, source, ranges)
    select id, 1 + id * 31 % 200, 'cve', case id % 6 when 0 then iif(id % 4, '["a:1.0",{"cpe":"a","lt":"2.0"}]', '["a:1.0|1.1",[17,"2.0","a"]]') when 1 then '[{"cpe":"a","le":"2.0"}]'
      when 2 then '[{"order":"semver","ge":"1","lt":"2","status":"unaffected"}]' when 3 then iif(id % 4, '[{"order":"semver","lt":"2","is_fix_unstated":true}]', '[[1537,"2","semver"]]')
      else '["a:1.0"]' end from vulns where id % 3 < 2`)
  await run(`insert into exploitation_claims(vuln_id, key, catalogue, name, exploited, reason, is_exploited, added, notes, link, evidence)
    select v.id, s.value, s.value, s.value, 1, 'confirmed', v.id % 7 > 0, '', '', '', '[]' from vulns v join json_each('["cisa","eu","circl","acme"]') s
    on case s.value when 'cisa' then kev_added_at is not null when 'eu' then v.id % 180 = 0 else v.id % 200 = 9 end`)
  await run(`insert into affected_packages(vuln_id, package_id, source, ranges)
    select id, 1 + id % 50, 'osv', iif(id % 40, '[{"order":"semver","ge":"1","lt":"2"}]', '[[517,"2","1","semver"]]') from vulns where id % 20 = 0`)
  await run('update vulns set is_malicious = 1 where id % 130 = 11')
  await run(`insert into monitored_vendors(org_id, vendor_id, created_at) values (?1, 5, '')`, org_id)
  await run(`insert into monitored_packages(org_id, package_id, created_at) values (?1, 9, '')`, org_id)
  await run(
    `insert into watch_groups values (?1, 'dmz', 'vendor', 5), (?1, 'dmz', 'package', 9), (?1, 'build', 'package', 9),
     (?1, 'elsewhere', 'product', 3)`,
    org_id,
  )
  await run(
    `insert into decisions(org_id, vuln_id, scope, verdict, decided_at) select ?1, id, 'vulnerability', 'fixed', '' from vulns where id % 700 = 1`,
    org_id,
  )
  await run(
    `insert into decisions(org_id, vuln_id, scope, verdict, owner_id, decided_at)
     select ?1, v.id, 'assignee', 'assigned', u.id, '' from vulns v join users u where v.id % 600 = 7 and u.id = (
       select user_id from members where org_id = ?1)`,
    org_id,
  )
  await run(
    `insert into decisions(org_id, vuln_id, scope, verdict, last_day, decided_at, ended_at)
     select ?1, id, 'alerts', 'snoozed', case id % 3 when 1 then '2000-01-01' when 2 then '2999-01-01' end, '', nullif(id % 5, 2)
     from vulns where id % 400 = 9`,
    org_id,
  )
  await run(
    `insert into epss_rises select date('now', '-1 days'), json_group_array(json_array(id, 0.4, 0.9)) from vulns where id % 150 = 9`,
  )
  await run(`insert into feeds(id, state, cursor, next_run_at) values ('epss', 'idle', ?1, '9999')`, epssCursor)
  await run(`insert into epss_history select v.id, date('${epssDay}', (v.id % 13 * s.value - 400) || ' days'), (v.id * s.value % 1000) / 1700.0
    from vulns v join json_each('[0, 1, 7, 20, 31]') s where v.id % 4 = 1 and v.epss is not null and (v.id % 13 or not s.value)`)
  await run(
    `update counters set value = (select count(*) from vulns where state <> 'rejected' and org_id is null) where name = 'vulns'`,
  )
  for (const { table, scanned } of countedTables) await run(`update ${table} set vulns_count = ${scanned}`)
  await run('analyze')
  await catchUp(world)
  await run('update org_vulns set verdict = nullif(vuln_id % 5, 4) where org_id = ?1', org_id)
}

/** The rows themselves, with what links them, for a scan that uses no index. */
export async function readScanned(world: World, org_id: number): Promise<Scanned[]> {
  const vulns = await world.sql<Scanned>`select * from vulns`
  const products = await world.sql<{
    vuln_id: number
    id: number
    name: string
    vendor: string
    vendor_id: number
  }>`select l.vuln_id, p.id, p.name, p.vendor, p.vendor_id from vuln_products l join products p on p.id = l.product_id`
  const packages = await world.sql<{
    vuln_id: number
    id: number
    name: string
    type: string
  }>`select l.vuln_id, p.id, p.name, p.type from vuln_packages l join packages p on p.id = l.package_id`
  const statuses = await world.sql<{
    vuln_id: number
    status: string
  }>`select vuln_id, verdict as status from decisions where org_id = ${org_id} and scope = 'vulnerability'`
  const idsIn = async (sql: string) =>
    new Set((await rows<{ vuln_id: number }>(world.env, sql, org_id)).map(({ vuln_id }) => vuln_id))
  const assigned = await idsIn("select vuln_id from decisions where org_id = ?1 and scope = 'assignee'")
  const snoozed = await idsIn(
    `select vuln_id from decisions where org_id = ?1 and scope = 'alerts' and ended_at is null and coalesce(last_day, '9') >= date()`,
  )
  const verdicts = await world.sql<{
    vuln_id: number
    verdict: number | null
  }>`select vuln_id, verdict from org_vulns where org_id = ${org_id}`
  const verdictBy = new Map(verdicts.map(({ vuln_id, verdict }) => [vuln_id, verdict ?? 1]))
  const claims = await world.sql<{
    vuln_id: number
    by: string
  }>`select vuln_id, iif(catalogue = 'acme', 'other', catalogue) as by from exploitation_claims where is_exploited`
  const claimsBy = Map.groupBy(claims, byVuln)
  const ended = new Set(
    (
      await world.sql<{
        vuln_id: number
        ranges: string
      }>`select vuln_id, ranges from affected union all select vuln_id, ranges from affected_packages`
    ).flatMap(({ vuln_id, ranges }) => (unpackRanges(ranges).some(endsAtFix) ? [vuln_id] : [])),
  )
  const [productsBy, packagesBy] = [Map.groupBy(products, byVuln), Map.groupBy(packages, byVuln)]
  const statusBy = new Map(statuses.map(({ vuln_id, status }) => [vuln_id, status]))
  const [stored] = await world.sql<{ rises: string }>`select rises from epss_rises`
  const rises = new Map((JSON.parse(stored?.rises ?? '[]') as number[][]).map(([id = 0, from = 0]) => [id, from]))
  const epssPasts = Map.groupBy(
    await world.sql<{ vuln_id: number; until: string; epss: number }>`select * from epss_history order by until`,
    byVuln,
  )
  return vulns.map((vuln) => {
    const epss = vuln['epss'] as number | null
    const lev = computeLev(epssPasts.get(vuln.id) ?? [], { now: epss, today: epssDay, models: [] })
    const [own, ownPackages] = [productsBy.get(vuln.id) ?? [], packagesBy.get(vuln.id) ?? []]
    return {
      ...vuln,
      products: own,
      vendors: own.map(({ vendor_id, vendor }) => ({ id: vendor_id, name: vendor })),
      packages: ownPackages,
      monitored: own.some(({ vendor_id }) => vendor_id === 5) || ownPackages.some(({ id }) => id === 9),
      groups: [
        ...(own.some(({ vendor_id }) => vendor_id === 5) ? ['dmz'] : []),
        ...(ownPackages.some(({ id }) => id === 9) ? ['build', 'dmz'] : []),
      ],
      status: statusBy.get(vuln.id) ?? 'undefined',
      assignee: assigned.has(vuln.id) ? 'me' : 'nobody',
      snoozed: snoozed.has(vuln.id),
      affects: concerns[verdictBy.get(vuln.id) ?? -1],
      fixable: ended.has(vuln.id),
      claimed: (claimsBy.get(vuln.id) ?? []).map(({ by }) => by),
      composite: composeProbability(epss, vuln['kev_added_at'] !== null, lev?.lev ?? null),
      risen: Number(vuln['epss']) > (rises.get(vuln.id) ?? Infinity),
    }
  })
}

// By the place in runVerdicts.
const concerns = ['no', 'maybe', 'yes', 'yes']
const endsAtFix = (range: unknown) =>
  typeof range === 'object' && range !== null && 'lt' in range && !('status' in range) && !('is_fix_unstated' in range)

const byVuln = ({ vuln_id }: { vuln_id: number }) => vuln_id
