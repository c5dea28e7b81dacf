import { anAdvisory, anAffected } from '../support/osv.ts'
import { aCve, affecting, aKevEntry, aMatch, toMetrics } from '../support/records.ts'
import type { BaseScore } from '../support/records.ts'
import type { SeededChance } from '../support/seeded-chance.ts'
import type { Advisory } from '../worker/support/osv-bucket.ts'
import type { SimulatedWorld } from './world.ts'

export const watchedProducts = ['widget', 'gadget', 'server', 'agent'] as const
/** Known to OSV alone. */
export const advisedPackage = 'widget-js'
export const scores: BaseScore[] = [4.3, 7.5, 9.8, 10]
const aRecord = (id: string) => ({
  id,
  product: '',
  score: 9.8 as BaseScore,
  last: '',
  isRejected: false,
  below: '2.0',
})
export type PublisherRecord = ReturnType<typeof aRecord>

/** The publishers' side: small records that are changed, edited back, withdrawn and added to KEV. */
export class Knowledge {
  readonly records: Map<string, PublisherRecord>
  /** What OSV says of packages, by id. */
  readonly advisories: Map<string, Advisory>
  readonly kev = new Set<string>()
  /** The CVE of each advisory that has one. */
  readonly aliases = new Map<string, string>()
  private readonly world: SimulatedWorld
  private shown = 0
  private poisoned: object[] = []

  constructor(world: SimulatedWorld, records: [string, PublisherRecord][] = [], advisories: [string, Advisory][] = []) {
    this.world = world
    this.records = new Map(records)
    this.advisories = new Map(advisories)
    this.show()
  }

  publish(product: string, score: BaseScore = 9.8) {
    return this.edit(`CVE-2027-${10_001 + this.records.size}`, { product, score })
  }

  exploit(id: string) {
    this.kev.add(id)
    this.show()
    return id
  }

  /** Answers what was changed. */
  change(chance: SeededChance) {
    const known = [...this.records.values()]
    const one = chance.pick(known)
    // A rejected record comes back before another one goes.
    const turned = known.find(({ isRejected }) => isRejected) ?? one
    const ways = [
      () => this.publish(chance.pick(watchedProducts), chance.pick(scores)),
      () => this.exploit(this.edit(one.id, { score: chance.pick(scores) })),
      () => this.edit(turned.id, { isRejected: !turned.isRejected }),
      () => this.edit(one.id, { product: chance.pick(watchedProducts) }),
      () => this.edit(one.id, { below: chance.pick(['1.5', '2.0', '3.2']) }),
      () => this.edit(one.id, { score: chance.pick(scores) }),
      () => this.editAll(chance.pick(scores)),
      () => this.poison(chance),
      () => this.advise(chance),
      () => this.advise(chance),
    ]
    return chance.pick(ways)()
  }

  private editAll(score: BaseScore) {
    for (const id of this.records.keys()) this.edit(id, { score })
    return 'all records at once'
  }

  /** A record that cannot be read stands among the others until the next one. */
  private poison(chance: SeededChance) {
    this.poisoned = [{ ...aCve('CVE-2027-66666'), lastModified: `${this.world.iso()}.000`, ...chance.pick(poisons) }]
    this.show()
    return 'a record into what cannot be read'
  }

  /** OSV knows a flaw of a package by an id of its own, until it gets a CVE: one that is there, or one that comes. */
  advise(chance: SeededChance) {
    const unnamed = [...this.advisories.keys()].find((id) => !this.aliases.has(id))
    if (unnamed === undefined || !chance.is(0.5))
      return this.putAdvisory(`GHSA-aaaa-bbbb-${1_000 + this.advisories.size}`)
    const { id, product, score } = chance.pick([...this.records.values()])
    return this.putAdvisory(unnamed, chance.is(0.5) ? id : this.publish(product, score))
  }

  putAdvisory(id: string, alias?: string) {
    if (alias) this.aliases.set(id, alias)
    const [modified, aliases] = [`${this.world.iso()}Z`, alias ? [alias] : []]
    const affected = [anAffected(advisedPackage)]
    this.advisories.set(id, anAdvisory(id, { modified, aliases, affected }))
    this.world.network.origins.osv.set('npm', [...this.advisories.values()])
    return `${id} ${aliases.join()}`
  }

  edit(id: string, changes: Partial<PublisherRecord>) {
    this.records.set(id, { ...(this.records.get(id) ?? aRecord(id)), ...changes, last: this.world.iso() })
    this.show()
    return id
  }

  /** What the publishers' addresses answer from now on. */
  private show() {
    const { origins } = this.world.network
    origins.osv.set('npm', [...this.advisories.values()])
    const ordered = [...this.records.values()].map(toCve)
    // In no order that one could build on.
    origins.modified = [...(this.shown++ % 2 ? ordered : ordered.toReversed()), ...this.poisoned]
    origins.epss.date = this.world.iso().slice(0, 10)
    origins.epss.rows = [...this.records.keys()].map((id, at) => [id, 0.001 * (1 + (at % 9)), 0.5])
    origins.kev = [...this.kev].map((id) => aKevEntry(id, { product: this.records.get(id)?.product }))
  }
}

const poisons = [
  { id: 7 },
  { descriptions: null },
  { metrics: 'none', configurations: 'all' },
  { configurations: [{ nodes: [{ operator: 'OR', cpeMatch: [{ criteria: 'cpe:2.3:a:acme' }] }] }] },
  { descriptions: [{ lang: 'en', value: '\u0000'.repeat(200_000) }] },
]

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
