import { anAdvisory, anAffected } from '../support/osv.ts'
import { aCve, affecting, aKevEntry, aMatch, toMetrics, type BaseScore } from '../support/records.ts'
import type { SeededChance } from '../support/seeded-chance.ts'
import type { SimulatedWorld } from './world.ts'

export const watchedProducts = ['widget', 'gadget', 'server', 'agent'] as const
/** Known to OSV alone. */
export const advisedPackage = { package_type: 'npm', package_name: 'widget-js' }
export const scores: BaseScore[] = [4.3, 7.5, 9.8, 10]
const whole = { product: '', score: 9.8 as BaseScore, below: '2.0', isRejected: false, isKev: false, isAdvised: false }
type PublisherRecord = typeof whole & { id: string; last: string }
type PublishedAdvisory = { id: string; cveid: string; modified: string }

/** The publishers' side: small records that are changed, edited back, withdrawn and added to KEV, and advisories of packages. */
export class Knowledge {
  /** Records of NVD and KEV, and of OSV: which CVE an advisory has. */
  readonly records = new Map<string, PublisherRecord>()
  readonly advisories = new Map<string, PublishedAdvisory>()
  private readonly world: SimulatedWorld
  private shown = 0
  private poisoned: object[] = []

  constructor(world: SimulatedWorld, said?: Pick<Knowledge, 'records' | 'advisories'>) {
    this.world = world
    if (said) Object.assign(this, said)
    this.show()
  }

  publish(product: string, score: BaseScore = 9.8) {
    return this.edit(`CVE-2027-${10_001 + this.records.size}`, { product, score })
  }

  edit(id: string, changes: Partial<PublisherRecord>) {
    this.records.set(id, { ...(this.records.get(id) ?? { ...whole, id }), ...changes, last: this.world.iso() })
    this.show()
    return id
  }

  /** Answers what was changed. */
  change(chance: SeededChance) {
    const known = [...this.records.values()]
    const { id } = chance.pick(known)
    // A rejected record comes back before another one goes.
    const turned = known.find(({ isRejected }) => isRejected)
    const [product, score] = [chance.pick(watchedProducts), chance.pick(scores)]
    const ways = [
      () => this.publish(product, score),
      () => this.edit(id, { isKev: true, score }),
      () => this.edit(turned?.id ?? id, { isRejected: !turned }),
      () => this.edit(id, { product }),
      () => this.edit(id, { below: chance.pick(['1.5', '2.0', '3.2']) }),
      () => this.edit(id, { score }),
      () => known.map((one) => this.edit(one.id, { score })).join(),
      () => this.poison(chance.pick(poisons)),
      () => this.advise(chance),
      () => this.advise(chance),
    ]
    return chance.pick(ways)()
  }

  /** A record that cannot be read stands among the others until the next one. */
  private poison(poison: object) {
    this.poisoned = [aCve('CVE-2027-66666', { lastModified: `${this.world.iso()}.000`, ...poison })]
    this.show()
    return 'a record into what cannot be read'
  }

  /** OSV knows a flaw of a package by an id of its own, until it gets a CVE: one that is there, or one that comes. */
  advise(chance: SeededChance) {
    const unnamed = [...this.advisories.values()].find(({ id, cveid }) => id === cveid)
    if (!unnamed || chance.is(0.5)) return this.putAdvisory(`GHSA-aaaa-bbbb-${1_000 + this.advisories.size}`)
    const { id, product } = chance.pick([...this.records.values()])
    return this.putAdvisory(unnamed.id, chance.is(0.5) ? id : this.publish(product))
  }

  putAdvisory(id: string, cveid = id) {
    this.advisories.set(id, { id, cveid, modified: `${this.world.iso()}Z` })
    if (this.records.has(cveid)) this.edit(cveid, { isAdvised: true })
    else this.show()
    return `${id} ${cveid}`
  }

  /** The answers of the publishers' addresses from now on. */
  private show() {
    const { origins } = this.world.network
    origins.osv.set('npm', [...this.advisories.values()].map(toAdvisory))
    const records = [...this.records.values()]
    const ordered = records.map(toCve)
    // In no order that one could build on.
    origins.modified = [...(this.shown++ % 2 ? ordered : ordered.toReversed()), ...this.poisoned]
    origins.epss.date = this.world.iso().slice(0, 10)
    origins.epss.rows = records.map(({ id }, at) => [id, 0.001 * (1 + (at % 9)), 0.5])
    origins.kev = records.flatMap(({ id, product, isKev }) => (isKev ? aKevEntry(id, { product }) : []))
  }
}

const poisons = [
  { id: 7 },
  { descriptions: null },
  { metrics: 'none', configurations: 'all' },
  { configurations: [{ nodes: [{ operator: 'OR', cpeMatch: [{ criteria: 'cpe:2.3:a:acme' }] }] }] },
  { descriptions: [{ lang: 'en', value: '\u0000'.repeat(200_000) }] },
]

const affected = [anAffected(advisedPackage.package_name)]
const toAdvisory = ({ id, cveid, modified }: PublishedAdvisory) =>
  anAdvisory(id, { modified, aliases: id === cveid ? [] : [cveid], affected })
const toCve = ({ id, product, score, last, isRejected, below }: PublisherRecord) =>
  aCve(id, {
    published: '2027-01-02T00:00:00.000',
    lastModified: `${last}.000`,
    vulnStatus: isRejected ? 'Rejected' : 'Analyzed',
    metrics: toMetrics(score),
    configurations: affecting(aMatch('acme', product, { versionEndExcluding: below })),
  })

/** A few components, by CPE names of the same products. */
export function aBom({ int, pick }: SeededChance, subject: string) {
  const components = Array.from({ length: int(1, 4) }, (_, at) => {
    const [name, version] = [pick(watchedProducts), `${int(1, 4)}.${int(0, 5)}`]
    const cpe = `cpe:2.3:a:acme:${name}:${version}:*:*:*:*:*:*:*`
    return { type: 'application', 'bom-ref': `part${at}`, name, version, cpe }
  })
  const metadata = { component: { type: 'application', name: subject, version: '1' } }
  return { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata, components }
}
