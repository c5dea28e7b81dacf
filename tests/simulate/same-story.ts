import { organizationNames } from '../support/founding.ts'
import { SeededChance } from '../support/seeded-chance.ts'
import { actions } from './actions.ts'
import { Knowledge, watchedProducts } from './knowledge.ts'
import { Organization } from './organizations.ts'
import type { SimulatedWorld } from './world.ts'

/** The parts of a world that the story needs, of whichever runtime; `tickAfter` lets all happen that follows. */
export type ToldWorld = Pick<
  SimulatedWorld,
  'request' | 'problems' | 'everybody' | 'organizations' | 'later' | 'iso' | 'note' | 'tickAfter'
> & {
  readonly now_ms: number
  network: Pick<SimulatedWorld['network'], 'origins'>
  rows: (sql: string) => object[] | Promise<object[]>
}

const [ghsa, cve] = ['GHSA-aaaa-bbbb-1000', (number: number) => `CVE-2027-1000${number}`]

/** One story without faults, told alike in Node and in workerd: what is stored at its end, without numbers and times. */
export async function tellSameStory(told: ToldWorld, knowledge = new Knowledge(told as SimulatedWorld)) {
  const [world, chance] = [told as SimulatedWorld, new SeededChance(4)]
  const organizations = organizationNames.map((name) => new Organization(world, name))
  for (const org of organizations) await org.takesAlerts()
  /** Feeds are read in any order; then alder, birch and cedar act in turn. */
  const pass = async (...people: string[]) => {
    for (const _ of [1, 2]) await world.tickAfter(20 * 60_000)
    for (const org of organizations) await org.monitors('widget')
    for (const [at, name] of people.entries()) await actions[name]?.(organizations[at % 3] as Organization, chance)
  }
  for (const product of watchedProducts) knowledge.publish(product)
  knowledge.putAdvisory(ghsa)
  const upload = 'uploads an inventory'
  await pass('comments', 'monitors a package', upload, upload, 'monitors', 'says its versions')
  for (const product of ['widget', 'agent']) knowledge.publish(product)
  knowledge.edit(cve(1), { score: 10 })
  knowledge.edit(cve(2), { isKev: true })
  knowledge.putAdvisory('GHSA-aaaa-bbbb-2000')
  await pass('writes a vulnerability', upload, 'monitors', 'sets a status', 'monitors', 'snoozes')
  knowledge.publish('server')
  knowledge.edit(cve(1), { below: '1.5' })
  knowledge.edit(cve(3), { isRejected: true })
  knowledge.edit(cve(5), { product: 'gadget' })
  knowledge.edit(cve(6), { isKev: true })
  knowledge.putAdvisory(ghsa, cve(4))
  await pass()
  // It gets a CVE in one of the stories that go on from here.
  const [, birch] = organizations
  const [advisory] = (await birch?.list('/api/vulns/?search=GHSA-aaaa-bbbb-2000&limit=1')) ?? []
  await birch?.post(`/api/vulns/${advisory?.id}/snooze`, { until: '2030-01-01' })
  await world.tickAfter(60_000, '17 3 * * *')
  const found: Record<string, string[]> = { problems: world.problems }
  for (const [name, sql] of Object.entries(endState))
    found[name] = (await told.rows(sql)).map((row) => Object.values(row).map(String).join(' '))
  return found
}

const named = (table: string) => `FROM ${table} t JOIN orgs o ON o.id = t.org_id JOIN vulns v ON v.id = t.vuln_id`
const cveid = "iif(v.org_id IS NULL, v.cveid, 'own') AS cveid"
const endState = {
  vulns: `SELECT ${cveid}, v.state, v.cvss3, v.is_exploitable, v.kev_added_at IS NOT NULL AS is_kev, count(*) AS n
    FROM vulns v GROUP BY 1, 2, 3, 4, 5 ORDER BY 1`,
  links: `SELECT ${cveid}, p.name FROM vuln_products l JOIN vulns v ON v.id = l.vuln_id JOIN products p ON p.id = l.product_id GROUP BY 1, 2 ORDER BY 1, 2`,
  watched: `SELECT o.name, ${cveid}, t.verdict, count(*) AS n ${named('org_vulns')} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  findings: `SELECT o.name, ${cveid}, c.name AS component, c.version, t.status ${named('inventory_findings')}
    JOIN inventory_components c ON c.org_id = t.org_id AND c.inventory_id = t.inventory_id AND c.id = t.component_id ORDER BY 1, 2, 3, 4, 5`,
  decisions: `SELECT o.name, ${cveid}, t.scope, t.verdict ${named('decisions')} ORDER BY 1, 2, 3`,
  alerts: `SELECT o.name, ${cveid}, t.rule, t.suppressed, count(*) AS n ${named('alerts')} GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`,
  deliveries: `SELECT o.name, t.channel, t.status, t.rule, count(*) AS n FROM deliveries t JOIN orgs o ON o.id = t.org_id GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`,
  counters: `SELECT name, value FROM counters WHERE name IN ('vulns', 'cves', 'vulns_exploitable') ORDER BY 1`,
}
