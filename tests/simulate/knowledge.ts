import { anAdvisory } from '../support/osv.ts'
import { aCve, aKevEntry, aMatch, aMetric, affecting } from '../support/records.ts'
import type { Advisory } from '../worker/support/osv-bucket.ts'
import type { SeededChance } from './scheduler.ts'
import type { SimulatedWorld } from './world.ts'

export const watchedProducts = ['widget', 'gadget', 'server', 'agent'] as const
/** Known to OSV alone. */
export const advisedPackage = 'widget-js'
export type PublisherRecord = {
  id: string
  product: string
  score: number
  last: string
  isRejected: boolean
  below: string
}

/** The publishers' side: small records that are changed, edited back, withdrawn and added to KEV. */
export class Knowledge {
  readonly records = new Map<string, PublisherRecord>()
  readonly kev = new Set<string>()
  /** The CVE of each advisory that has one. */
  readonly aliases = new Map<string, string>()
  private readonly world: SimulatedWorld
  private made = 0
  private shown = 0
  private poisoned: object | undefined

  constructor(world: SimulatedWorld) {
    this.world = world
  }

  /** Goes on from what was published before. */
  recall(records: [string, PublisherRecord][], advisories: [string, Advisory][]) {
    for (const [id, known] of records) this.records.set(id, known)
    for (const [id, known] of advisories) this.world.network.advisories.set(id, known)
    this.made = records.length
    this.show()
  }

  publish(product: string, score = 9.8) {
    const id = `CVE-2027-${10_000 + ++this.made}`
    this.edit(id, { product, score })
    return id
  }

  exploit(id: string) {
    this.kev.add(id)
    this.show()
    return id
  }

  change(chance: SeededChance) {
    const known = [...this.records.values()]
    if (!known.length) return this.publish(chance.pick(watchedProducts))
    const one = chance.pick(known)
    const turn = chance.int(1, 10)
    if (turn >= 9) return this.advise(chance)
    if (turn === 8) return this.poison(chance)
    if (turn === 7) return this.editAll(chance.pick([4.3, 7.5, 9.8, 10]))
    if (turn === 1) return this.publish(chance.pick(watchedProducts), chance.pick([4.3, 7.5, 9.8]))
    if (turn === 2) this.kev.add(one.id)
    if (turn === 3) {
      // A rejected record comes back before another one goes.
      const { id, isRejected } = known.find((other) => other.isRejected) ?? one
      this.edit(id, { isRejected: !isRejected })
    }
    if (turn === 4) this.edit(one.id, { product: chance.pick(watchedProducts) })
    if (turn === 5) this.edit(one.id, { below: chance.pick(['1.5', '2.0', '3.2']) })
    if (turn === 6) this.edit(one.id, { score: chance.pick([4.3, 7.5, 9.8, 10]) })
    this.show()
    return one.id
  }

  private editAll(score: number) {
    for (const id of this.records.keys()) this.edit(id, { score })
    return 'all records at once'
  }

  /** A record that cannot be read stands among the others until the next one. */
  private poison(chance: SeededChance) {
    const last = new Date(this.world.now_ms).toISOString().slice(0, 19)
    this.poisoned = { ...aCve('CVE-2027-66666'), lastModified: `${last}.000`, ...chance.pick(poisons) }
    this.show()
    return 'a record into what cannot be read'
  }

  /** OSV knows a flaw of a package by an id of its own, until it gets a CVE: one that is there, or one that comes. */
  advise(chance: SeededChance) {
    const { advisories } = this.world.network
    const unnamed = [...advisories.values()].filter(({ id }) => !this.aliases.has(id))
    const [one] = unnamed
    const id = one && chance.int(1, 2) === 1 ? one.id : `GHSA-aaaa-bbbb-${1_000 + advisories.size}`
    if (id === one?.id) {
      const known = chance.pick([...this.records.values()])
      this.aliases.set(id, chance.int(1, 2) === 1 ? known.id : this.publish(known.product, known.score))
    }
    return this.putAdvisory(id)
  }

  putAdvisory(id: string, alias = this.aliases.get(id)) {
    if (alias) this.aliases.set(id, alias)
    const modified = new Date(this.world.now_ms).toISOString().replace(/\.\d+/, '')
    const affected = [
      {
        package: { ecosystem: 'npm', name: advisedPackage },
        ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '9.0.0' }] }],
      },
    ]
    this.world.network.advisories.set(id, anAdvisory(id, { modified, aliases: alias ? [alias] : [], affected }))
    return alias ? `${id}, which is ${alias}` : id
  }

  edit(id: string, changes: Partial<PublisherRecord>) {
    const known = this.records.get(id) ?? { id, product: '', score: 0, last: '', isRejected: false, below: '2.0' }
    const last = new Date(this.world.now_ms).toISOString().slice(0, 19)
    this.records.set(id, { ...known, ...changes, last })
    this.show()
  }

  /** What the publishers' addresses answer from now on. */
  show() {
    const { origins } = this.world.network
    const ordered = [...this.records.values()].map(toCve)
    // In no order that one could build on.
    origins.modified = [
      ...(this.shown++ % 2 ? ordered : ordered.toReversed()),
      ...(this.poisoned ? [this.poisoned] : []),
    ]
    const date = new Date(this.world.now_ms).toISOString().slice(0, 10)
    origins.epss = { date, rows: [...this.records.keys()].map((id, at) => [id, 0.001 * (1 + (at % 9)), 0.5]) }
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

const vectors: Record<number, string> = {
  4.3: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:U/C:N/I:L/A:N',
  7.5: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  9.8: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  10: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H',
}

const toCve = ({ id, product, score, last, isRejected, below }: PublisherRecord) =>
  aCve(id, {
    published: '2027-01-02T00:00:00.000',
    lastModified: `${last}.000`,
    ...(isRejected && { vulnStatus: 'Rejected' }),
    metrics: { cvssMetricV31: [aMetric('3.1', score, vectors[score] ?? '')] },
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
