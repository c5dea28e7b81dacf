// `npx node tests/bench/verdicts.ts <checkout of before> [--feeds <folder>] [--every <n>] [--near] [--show <words>]`: judges each version that
// the records of a mirror name as another checkout does and as this one does, and counts the verdicts that changed by their cause;
// each whose cause and change contain the words (`affected > not_affected`) is named. `--near` asks for the versions right before and
// behind the named ones instead.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { strFromU8, unzipSync } from 'fflate'
import type { Statement } from '../../worker/domain/versions/affected'
import type { AffectedRange, VulnRecord } from '../../worker/domain/words/record'
import './worker-modules.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    feeds: { type: 'string' },
    every: { type: 'string', default: '1' },
    near: { type: 'boolean' },
    show: { type: 'string' },
  },
})
const mirror = resolve(values.feeds ?? fileURLToPath(new URL('../../../shared/feeds', import.meta.url)))
const [checkout = ''] = positionals
if (!existsSync(mirror) || !existsSync(join(checkout, 'worker/domain'))) {
  console.error('Name a checkout of the state before, and a mirror folder')
  process.exit(1)
}
const every = Number(values.every)
const maxVersions = 12

type JudgedVersion = {
  status: 'affected' | 'not_affected' | 'unknown'
  by: { source: string; status: string }[]
}
type Judge = (version: string, statements: Statement[]) => JudgedVersion
type Reader = (raw: unknown) => VulnRecord[]
type Code = { judge: Judge; listVersions: (ranges: AffectedRange[]) => string[]; read: Record<string, Reader> }

async function load(root: string): Promise<Code> {
  const from = async (path: string) => (await import(pathToFileURL(join(root, 'worker', `${path}.ts`)).href)) as never
  type Parser = { parse: (raw: unknown) => never }
  const reader = async (
    room: string,
    [read, parser]: [string, string],
    file = 'record',
    schemas = file,
  ): Promise<Reader> => {
    const code: Record<string, (raw: never) => VulnRecord | VulnRecord[]> = await from(`feeds/${room}/${file}`)
    const parsers: Record<string, Parser> = await from(`feeds/${room}/${schemas}`)
    return (raw) => [code[read]?.(parsers[parser]?.parse(raw) as never) ?? []].flat()
  }
  const { judgeStatements, findKnownVersions }: { judgeStatements: Judge; findKnownVersions: Code['listVersions'] } =
    await from('domain/versions/affected')
  return {
    judge: judgeStatements,
    listVersions: findKnownVersions,
    read: {
      cve: await reader('cve5', ['fromCve5', 'Cve5'], 'record', 'schema'),
      nvd: await reader('nvd', ['fromNvd', 'NvdCve']),
      overrides: await reader('nvd', ['fromOverride', 'Override'], 'overrides-record'),
      osv: await reader('osv', ['fromOsv', 'OsvAdvisory']),
      redhat: await reader('redhat', ['fromRedhat', 'RedhatCve']),
    },
  }
}

type Raw = { source: string; id: string; raw: unknown }
const unpacked = (path: string) => {
  const full = join(mirror, path)
  return existsSync(full) ? (JSON.parse(gunzipSync(readFileSync(full)).toString()) as unknown) : []
}

type RawCve5 = { cveMetadata: { cveId: string } }
const readNvd = (name: string) =>
  (unpacked(`nvd/2.0/nvdcve-2.0-${name}.json.gz`) as { vulnerabilities?: { cve: { id: string } }[] }).vulnerabilities ??
  []
/** Records outside the files of their years. */
const supplement = readNvd('supplement')
const extra = readdirSync(join(mirror, 'cve5/extra')).map(
  (name) => JSON.parse(readFileSync(join(mirror, 'cve5/extra', name), 'utf8')) as RawCve5,
)

/** All sources' records about the CVEs of one year. */
function readYear(year: number): Raw[] {
  const isOfYear = (id: string) => id.startsWith(`CVE-${year}-`)
  const cves = [
    ...(unpacked(`cve5/cves-${year}.json.gz`) as RawCve5[]),
    ...extra.filter((raw) => isOfYear(raw.cveMetadata.cveId)),
  ]
  const nvd = [...readNvd(String(year)), ...supplement.filter(({ cve }) => isOfYear(cve.id))]
  const overrides = unpacked(`nvd-overrides/overrides-${year}.json.gz`) as Record<'_annotation', { cve_id: string }>[]
  const redhat = unpacked(`redhat/cve-${year}.json.gz`) as { name: string }[]
  return [
    ...cves.map((raw) => ({ source: 'cve', id: raw.cveMetadata.cveId, raw })),
    ...nvd.map(({ cve: raw }) => ({ source: 'nvd', id: raw.id, raw })),
    ...overrides.map((raw) => ({ source: 'overrides', id: raw['_annotation'].cve_id, raw })),
    ...redhat.map((raw) => ({ source: 'redhat', id: raw.name, raw })),
  ]
}

function* readOsv(): Generator<Raw> {
  for (const name of ['PyPI', 'Go'])
    for (const [path, bytes] of Object.entries(unzipSync(readFileSync(join(mirror, 'osv', name, 'all.zip')))))
      yield { source: 'osv', id: path, raw: JSON.parse(strFromU8(bytes)) }
}

type Named = Map<string, Statement[]>

/** The statements about each product and package; skips records that are refused. */
function readStatements(code: Code, records: Raw[]): Named {
  const named: Named = new Map()
  const add = (name: string, statement: Statement) => named.set(name, [...(named.get(name) ?? []), statement])
  for (const { source, raw } of records) {
    for (const { affected = [], packages = [] } of attempt(() => code.read[source]?.(raw) ?? [])) {
      for (const { vendor, product, ranges } of affected) add(`${vendor}:${product}`, { source, ranges })
      for (const { type, name, ranges } of packages) add(`pkg:${type}/${name}`, { source, ranges })
    }
  }
  return named
}

function attempt(read: () => VulnRecord[]) {
  try {
    return read()
  } catch {
    return []
  }
}

const [before, after] = [await load(resolve(checkout)), await load(fileURLToPath(new URL('../..', import.meta.url)))]
const causes = new Map<string, { count: number; ids: Set<string>; example: string }>()
const totals = { vulns: 0, verdicts: 0, changed: 0 }

function compare(id: string, records: Raw[]) {
  totals.vulns++
  const [old, now] = [readStatements(before, records), readStatements(after, records)]
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const [was, is] = [old.get(name), now.get(name)]
    if (!was || !is) note(was ? 'no longer named so' : 'named so from now on', id, name)
    else compareVersions(id, name, { was, is })
  }
}

function compareVersions(id: string, name: string, { was, is }: { was: Statement[]; is: Statement[] }) {
  const list = (code: Code, statements: Statement[]) => code.listVersions(statements.flatMap(({ ranges }) => ranges))
  const named = [...new Set([...list(after, is), ...list(before, was)])]
  const versions = values.near ? [...new Set(named.flatMap(listNeighbours))] : named
  const step = Math.max(1, versions.length / maxVersions)
  for (let at = 0; at < versions.length; at += step) {
    const version = versions[Math.floor(at)] ?? ''
    const [first, second] = [before.judge(version, was), after.judge(version, is)]
    totals.verdicts++
    if (first.status === second.status) continue
    totals.changed++
    const source = findChanged(first, second)
    const own = (all: Statement[]) => JSON.stringify(all.filter((one) => one.source === source))
    const cause = `${source ?? 'together'}, ${own(was) === own(is) ? 'judged' : 'read'} otherwise`
    note(`${cause}: ${first.status} > ${second.status}`, id, `${name} ${version}`)
  }
}

const findChanged = (first: JudgedVersion, second: JudgedVersion) =>
  second.by.find(({ source, status }) => first.by.find((one) => one.source === source)?.status !== status)?.source

/** 1.2.3 stands between 1.2.2 and 1.2.4. */
function listNeighbours(version: string) {
  const [, start = '', last = ''] = /^(.*?)(\d{1,8})$/.exec(version) ?? []
  return last ? [...(Number(last) > 0 ? [`${start}${Number(last) - 1}`] : []), `${start}${Number(last) + 1}`] : []
}

function note(cause: string, id: string, example: string) {
  if (values.show && cause.includes(values.show)) console.log(`${cause}  ${id} ${example}`)
  const known = causes.get(cause) ?? { count: 0, ids: new Set<string>(), example: `${id} ${example}` }
  known.count++
  known.ids.add(id)
  causes.set(cause, known)
}

for (let year = 1999; year <= 2026; year++) {
  const byId = [...Map.groupBy(readYear(year), ({ id }) => id)]
  for (let at = 0; at < byId.length; at += every) compare(...(byId[at] ?? ['', []]))
}
let turn = 0
for (const record of readOsv()) if (turn++ % every === 0) compare(record.id, [record])

console.log(JSON.stringify(totals))
for (const [cause, { count, ids, example }] of [...causes].sort(([a], [b]) => (a < b ? -1 : 1)))
  console.log(`${String(count).padStart(7)} in ${String(ids.size).padStart(6)} records  ${cause}  (${example})`)
