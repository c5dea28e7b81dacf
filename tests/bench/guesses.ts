import './worker-modules.ts'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { realFeeds } from '../support/real-data.ts'
import type { Figure } from './figures.ts'

const drawn = 20

/**
 * Of each rule that guesses products of nameless records: the products that it alone adds where no source lists any, and how many of
 * those that it alone guesses are among the products that NVD names of the same CVE.
 */
export async function measureGuesses(): Promise<Figure[]> {
  const { namesNothing } = await import('../../worker/feeds/cve5/record.ts')
  const { Cve5 } = await import('../../worker/feeds/cve5/schema.ts')
  const { tellGuesses } = await import('../../worker/feeds/cve5/guesses.ts')
  const { listCveIds, readMirrorRecords } = await import('../support/mirror-records.ts')
  const files = readdirSync(new URL('cve5/', realFeeds)).filter((name) => name.endsWith('.json.gz'))
  const known = new Set<string>()
  const nameless: { id: string; named: Set<string>; guesses: { rule: string; name: string }[] }[] = []
  const join = ({ vendor, product }: { vendor: string; product: string }) => `${vendor}:${product}`
  for (const file of files) {
    const records = readMirrorRecords(new Set(listCveIds(file)))
    const raws = JSON.parse(gunzipSync(readFileSync(new URL(`cve5/${file}`, realFeeds))).toString()) as unknown[]
    for (const raw of raws) {
      const { cveMetadata, containers } = Cve5.parse(raw)
      const { cveId: id, assignerShortName: assigner = '' } = cveMetadata
      const all = Object.values(records.get(id) ?? {})
      const named = new Set(all.flatMap((one) => [...(one?.affected ?? []), ...(one?.named ?? [])].map(join)))
      for (const name of named) known.add(name)
      if (!records.get(id)?.['cve']?.guesses) continue
      const cna = { ...containers.cna, affected: (containers.cna.affected ?? []).filter(namesNothing) }
      const told = tellGuesses({ title: cna.title ?? '', assigner, cna })
      nameless.push({ id, named, guesses: told.map(({ rule, name }) => ({ rule, name: join(name) })) })
    }
  }
  const rules = new Map<string, { used: string[]; right: number; asked: number }>()
  for (const { id, named, guesses } of nameless) {
    const byName = Map.groupBy(
      guesses.filter(({ name }) => known.has(name)),
      ({ name }) => name,
    )
    for (const [name, own] of byName) {
      const [rule, ...others] = new Set(own.map((one) => one.rule))
      if (rule === undefined || others.length) continue
      const found = rules.get(rule) ?? { used: [], right: 0, asked: 0 }
      rules.set(rule, found)
      if (named.size === 0) found.used.push(`${id} ${name}`)
      else {
        found.asked++
        found.right += Number(named.has(name))
      }
    }
  }
  const place = (text: string) => createHash('sha256').update(text).digest('hex')
  for (const [rule, { used }] of rules)
    for (const one of used.toSorted((a, b) => (place(a) < place(b) ? -1 : 1)).slice(0, drawn))
      console.log(`${rule}: ${one}`)
  return [...rules].map(([rule, { used, right, asked }]) => ({
    what: rule,
    figure: `${used.length} added by it alone; ${right} of ${asked} that NVD can tell are right`,
  }))
}
