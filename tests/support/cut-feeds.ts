import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'

type Json = Record<string, unknown>
type Cut = (text: string, isWanted: (id: unknown) => boolean) => string | undefined

/** Keeps the records of an array, or of the array under a key, whose id is wanted. */
const records =
  (idIn: (record: Json) => unknown, key?: string): Cut =>
  (text, isWanted) => {
    const whole = JSON.parse(text) as Json
    const all = (key === undefined ? whole : whole[key]) as Json[]
    const kept = all.filter((record) => [idIn(record)].flat().some(isWanted))
    if (!kept.length) return undefined
    // KEV states the number of its entries.
    const count = 'count' in whole && { count: kept.length }
    return JSON.stringify(key === undefined ? kept : { ...whole, ...count, [key]: kept })
  }
const entries =
  (isKept: (key: string, value: Json, isWanted: (id: unknown) => boolean) => boolean): Cut =>
  (text, isWanted) => {
    const kept = Object.entries(JSON.parse(text) as Record<string, Json>).filter(([key, value]) =>
      isKept(key, value, isWanted),
    )
    return kept.length ? JSON.stringify(Object.fromEntries(kept)) : undefined
  }
const within = (record: Json, ...path: string[]) =>
  path.reduce<unknown>((value, key) => (value as Json | undefined)?.[key], record)
const lines =
  (headers: number): Cut =>
  (text, isWanted) => {
    const all = text.split('\n')
    const kept = all.slice(headers).filter((line) => (line.match(/CVE-\d+-\d+/g) ?? []).some(isWanted))
    return kept.length ? [...all.slice(0, headers), ...kept, ''].join('\n') : undefined
  }
const whole: Cut = (text, isWanted) => ((text.match(/CVE-\d+-\d+/g) ?? []).some(isWanted) ? text : undefined)

const json = /\.json(\.gz)?$/
const csv = /\.csv(\.gz)?$/
const cuts: [folder: string, cut: Cut, files?: RegExp][] = [
  ['nvd/2.0', records((one) => within(one, 'cve', 'id'), 'vulnerabilities')],
  ['nvd/1.1', records((one) => within(one, 'cve', 'CVE_data_meta', 'ID'), 'CVE_Items')],
  ['cve5', records((one) => within(one, 'cveMetadata', 'cveId'))],
  ['cve5/extra', whole],
  ['nvd-overrides', records((one) => within(one, '_annotation', 'cve_id'))],
  ['redhat', records(({ name }) => name)],
  ['cisa-kev', records(({ cveID }) => cveID, 'vulnerabilities'), /vulnerabilities\.json$/],
  ['poc-in-github', entries((id, _, isWanted) => isWanted(id))],
  [
    'metasploit',
    entries((_, { references }, isWanted) => Array.isArray(references) && references.some((one) => isWanted(one))),
  ],
  ['nuclei', lines(0)],
  ['exploitdb', lines(1), csv],
  ['epss', lines(2), csv],
  ['osv/misc', whole],
]

/** Copies the records of a few CVEs from all files of a mirror into a new folder with the same layout. */
export function cutFeeds(mirror: string, ids: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-cut-'))
  const wanted = new Set(ids)
  const years = new Set(ids.map((id) => id.split('-')[1]))
  for (const [path, cut, files = json] of cuts)
    for (const { name } of readdirSync(join(mirror, path), { withFileTypes: true }).filter((one) => one.isFile())) {
      // A file of a year has the ids of that year.
      const year = /^(?:\D+-)?(?:[12]\.\d-)?((?:19|20)\d\d)\.json/.exec(name)?.[1]
      if (!files.test(name) || (year !== undefined && !years.has(year))) continue
      const bytes = readFileSync(join(mirror, path, name))
      const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
      const kept = cut(text, (id) => typeof id === 'string' && wanted.has(id))
      if (kept === undefined) continue
      const target = join(folder, path, name)
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, name.endsWith('.gz') ? gzipSync(kept) : kept)
    }
  return folder
}
