// `npx node tests/bench/verdicts.ts <checkout of before> [--every <n>] [--near] [--show <words>]`: judges each version that the records of
// the mirror name as another checkout does and as this one does, and counts the verdicts that changed by their cause; each whose cause
// and change contain the words (`affected > not_affected`) is named. `--near` asks for the versions right before and behind the named
// ones instead.
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { strFromU8, unzipSync } from 'fflate'
import type * as Judge from '../../worker/domain/versions/affected'
import type { Answer, Statement } from '../../worker/domain/versions/affected'
import type { Records } from '../../worker/domain/words/merge'
import type * as Osv from '../../worker/feeds/osv/record'
import type * as Mirror from '../support/mirror-records'
import { realFeeds } from '../support/real-data.ts'
import './worker-modules.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { every: { type: 'string', default: '1' }, near: { type: 'boolean' }, show: { type: 'string' } },
})
const [checkout = ''] = positionals
if (!existsSync(join(checkout, 'worker/domain'))) {
  console.error('Name a checkout of the state before')
  process.exit(1)
}
const every = Number(values.every)
const maxVersions = 12

type Code = Awaited<ReturnType<typeof loadCode>>

async function loadCode(root: string) {
  const load = async (path: string) => (await import(pathToFileURL(join(root, path)).href)) as unknown
  const judge = (await load('worker/domain/versions/affected.ts')) as typeof Judge
  const osv = (await load('worker/feeds/osv/record.ts')) as typeof Osv
  const mirror = (await load('tests/support/mirror-records.ts')) as typeof Mirror
  return { ...judge, ...osv, ...mirror }
}

const [before, after] = [
  await loadCode(resolve(checkout)),
  await loadCode(fileURLToPath(new URL('../..', import.meta.url))),
]
const causes = new Map<string, { count: number; ids: Set<string>; example: string }>()
const totals = { vulns: 0, verdicts: 0, changed: 0 }

function compare(id: string, [old, now]: [Records, Records]) {
  totals.vulns++
  const [was, is] = [after.groupStatements(old), after.groupStatements(now)]
  for (const name of new Set([...was.keys(), ...is.keys()])) {
    const [said, says] = [was.get(name), is.get(name)]
    if (!said || !says) note(said ? 'no longer named so' : 'named so from now on', id, name)
    else compareVersions(id, name, [said, says])
  }
}

function compareVersions(id: string, name: string, [said, says]: [Statement[], Statement[]]) {
  const list = (code: Code, statements: Statement[]) =>
    code.findKnownVersions(statements.flatMap(({ ranges }) => ranges))
  const named = [...new Set([...list(after, says), ...list(before, said)])]
  const versions = values.near ? [...new Set(named.flatMap(after.listNeighbours))] : named
  const step = Math.max(1, versions.length / maxVersions)
  for (let at = 0; at < versions.length; at += step) {
    const version = versions[Math.floor(at)] ?? ''
    const [old, now] = [before.judgeStatements(version, said), after.judgeStatements(version, says)]
    totals.verdicts++
    if (old.status === now.status) continue
    totals.changed++
    const source = findChanged(old, now)
    const read = (all: Statement[]) => JSON.stringify(all.filter((statement) => statement.source === source))
    const cause = `${source ?? 'together'}, ${read(said) === read(says) ? 'judged' : 'read'} otherwise`
    note(`${cause}: ${old.status} > ${now.status}`, id, `${name} ${version}`)
  }
}

const findChanged = (old: Answer, now: Answer) =>
  now.by.find(({ source, status }) => old.by.find((said) => said.source === source)?.status !== status)?.source

/** One advisory may be several records; nothing where it is refused. */
function readOsv(code: Code, raw: unknown): Records {
  try {
    const records = code.fromOsv(code.OsvAdvisory.parse(raw))
    const [record] = records
    const merged = {
      affected: records.flatMap(({ affected = [] }) => affected),
      packages: records.flatMap(({ packages = [] }) => packages),
    }
    return record ? { osv: { ...record, ...merged } } : {}
  } catch {
    return {}
  }
}

function note(cause: string, id: string, example: string) {
  if (values.show && cause.includes(values.show)) console.log(`${cause}  ${id} ${example}`)
  const known = causes.get(cause) ?? { count: 0, ids: new Set<string>(), example: `${id} ${example}` }
  known.count++
  known.ids.add(id)
  causes.set(cause, known)
}

for (const ids of Map.groupBy(new Set(after.listMirrorIds()), (id) => id.slice(4, 8)).values()) {
  const wanted = new Set(ids.filter((_, at) => at % every === 0))
  const old = before.readMirrorRecords(wanted)
  for (const [id, now] of after.readMirrorRecords(wanted)) compare(id, [old.get(id) ?? {}, now])
}
for (const ecosystem of ['PyPI', 'Go']) {
  const advisories = Object.entries(unzipSync(readFileSync(new URL(`osv/${ecosystem}/all.zip`, realFeeds))))
  for (const [path, bytes] of advisories.filter((_, at) => at % every === 0)) {
    const raw: unknown = JSON.parse(strFromU8(bytes))
    compare(path, [readOsv(before, raw), readOsv(after, raw)])
  }
}

console.log(JSON.stringify(totals))
for (const [cause, { count, ids, example }] of [...causes].sort(([a], [b]) => (a < b ? -1 : 1)))
  console.log(`${String(count).padStart(7)} in ${String(ids.size).padStart(6)} records  ${cause}  (${example})`)
