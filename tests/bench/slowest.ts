// `npx node tests/bench/slowest.ts [<feeds folder>]`: CPU time to read, merge and judge each record of a mirror, in one process.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { strFromU8, unzipSync } from 'fflate'
import type { Statement } from '../../worker/domain/affected'
import type { VulnRecord } from '../../worker/domain/record'
import './worker-modules.ts'

const maxMs = 50
const shown = 10
const mirror = resolve(process.argv[2] ?? fileURLToPath(new URL('../../../shared/feeds', import.meta.url)))
if (!existsSync(mirror)) {
  console.error(`No feeds at ${mirror}: name a mirror folder`)
  process.exit(1)
}

const { judgeStatements } = await import('../../worker/domain/affected')
const { toInterval } = await import('../../worker/domain/range-match')
const { newPlacing, isDisputed, uniteRanges } = await import('../../worker/domain/affected-items')
const { mergeRecords } = await import('../../worker/domain/merge')
const { Cve5 } = await import('../../worker/feeds/cve5/schema')
const { fromCve5 } = await import('../../worker/feeds/cve5/record')
const { NvdCve, fromNvd } = await import('../../worker/feeds/nvd/record')
const { OsvAdvisory, fromOsv } = await import('../../worker/feeds/osv/record')
const { RedhatCve, fromRedhat } = await import('../../worker/feeds/redhat/record')

type Kind = { source: string; list: () => Generator<string>; read: (text: string) => VulnRecord[] }
const unpacked = (path: string) => JSON.parse(gunzipSync(readFileSync(path)).toString()) as unknown
const packedIn = (folder: string) =>
  readdirSync(join(mirror, folder))
    .filter((name) => name.endsWith('.json.gz'))
    .map((name) => join(mirror, folder, name))
const asTexts = (list: unknown[]) => list.map((one) => JSON.stringify(one))

const kinds: Kind[] = [
  {
    source: 'cve',
    *list() {
      for (const path of packedIn('cve5')) yield* asTexts(unpacked(path) as unknown[])
    },
    read: (text) => [fromCve5(Cve5.parse(JSON.parse(text)))],
  },
  {
    source: 'nvd',
    *list() {
      for (const path of packedIn('nvd/2.0'))
        yield* asTexts(
          (unpacked(path) as { vulnerabilities: { cve: unknown }[] }).vulnerabilities.map(({ cve }) => cve),
        )
    },
    read: (text) => [fromNvd(NvdCve.parse(JSON.parse(text)))],
  },
  {
    source: 'osv',
    *list() {
      for (const name of ['PyPI', 'Go'])
        for (const bytes of Object.values(unzipSync(readFileSync(join(mirror, 'osv', name, 'all.zip')))))
          yield strFromU8(bytes)
    },
    read: (text) => fromOsv(OsvAdvisory.parse(JSON.parse(text))),
  },
  {
    source: 'redhat',
    *list() {
      for (const path of packedIn('redhat')) yield* asTexts(unpacked(path) as unknown[])
    },
    read: (text) => [fromRedhat(RedhatCve.parse(JSON.parse(text)))],
  },
]

/** Reads a record, merges it, and judges a version of each product and package, as the page of the vulnerability does. */
function handle({ source, read }: Kind, text: string) {
  for (const record of read(text)) {
    const merged = mergeRecords({ [source]: record })
    const place = newPlacing(merged.summary)
    for (const { via, group, name, statement } of listTargets(source, record)) {
      const { is, bounds } = toInterval(statement.ranges[Math.floor(statement.ranges.length / 2)] ?? 'a')
      judgeStatements(is ?? bounds.le ?? bounds.ge ?? '1.0', [statement])
      uniteRanges([statement])
      isDisputed([statement])
      place({ via, group, name, monitored: false, statements: [statement] })
    }
  }
}

function listTargets(source: string, { affected = [], packages = [] }: VulnRecord) {
  const statement = (ranges: Statement['ranges']): Statement => ({ source, ranges })
  return [
    ...affected.map(({ vendor, product, ranges }) => ({
      via: 'product' as const,
      group: vendor,
      name: product,
      statement: statement(ranges),
    })),
    ...packages.map(({ type, name, ranges }) => ({
      via: 'package' as const,
      group: type,
      name,
      statement: statement(ranges),
    })),
  ]
}

function cpuMs() {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

function measure(kind: Kind, text: string) {
  const start = cpuMs()
  handle(kind, text)
  return cpuMs() - start
}

const idPattern = /"(?:cveId|id|name)":"([^"]+)"/
type Took = { id: string; source: string; ms: number; text: string; kind: Kind }
const slowest: Took[] = []
let [count, refused] = [0, 0]
for (const kind of kinds)
  for (const text of kind.list()) {
    count++
    try {
      const ms = measure(kind, text)
      if (ms > maxMs / 4) slowest.push({ id: idPattern.exec(text)?.[1] ?? '', source: kind.source, ms, text, kind })
    } catch {
      refused++
    }
  }
// The fastest of five counts: garbage collection and compilation disturb single runs.
for (const one of slowest)
  for (let again = 0; again < 4; again++) one.ms = Math.min(one.ms, measure(one.kind, one.text))
slowest.sort((a, b) => b.ms - a.ms)
console.log(`${count.toLocaleString('en-US')} records, ${refused} refused; the slowest, ms of CPU time:`)
for (const { id, source, ms, text } of slowest.slice(0, shown))
  console.log(`${ms.toFixed(1).padStart(8)}  ${source.padEnd(7)} ${id} (${Math.ceil(text.length / 1024)} kB)`)
if ((slowest[0]?.ms ?? 0) > maxMs) process.exitCode = 1
