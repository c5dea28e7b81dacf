// `node tests/bench/certainty.ts`: how often the answer on a version is unknown, over a sample of the CVE list, and how often on the
// fixes that a CNA names; and whether a second source confirms these. The rule of the sample: each product and package that a record
// names with versions is a case; the SHA-256 of the CVE id and the name puts the cases in an order, whose first 42,887 are the sample, and
// picks one of the versions that the record names. Asked are all sources of the mirror together. The same cases are asked once more for the
// number right behind or before, of which most records say nothing.
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import './worker-modules.ts'
import type { Answer, Statement } from '../../worker/domain/versions/affected'
import type { Records } from '../../worker/domain/words/merge'
import type { AffectedRange } from '../../worker/domain/words/record'
import { realFeeds } from '../support/real-data.ts'
import { readSecondSource } from './second-sources.ts'

const { findKnownVersions, judgeStatements } = await import('../../worker/domain/versions/affected.ts')
const { isVersionRange } = await import('../../worker/domain/versions/range.ts')
const { rangeStatus } = await import('../../worker/domain/versions/range-verdict.ts')
const { groupStatements, listCveIds, listNeighbours, readMirrorRecords } = await import('../support/mirror-records.ts')

const size = 42_887
const digest = (text: string) => createHash('sha256').update(text).digest()

type Case = { id: string; place: string; statements: Statement[]; version: string; beside: string }
const cases: Case[] = []
const askVendors = readSecondSource()
const vendors = { confirmed: 0, contradicted: 0, comforting: [] as string[] }
const fixes = { named: 0, unknown: 0, confirmed: 0, contradicted: 0, comforting: [] as string[] }

function addCases(id: string, records: Records) {
  if (!records.cve || records.cve.state === 'rejected') return
  for (const [name, statements] of groupStatements(records)) {
    const ranges = statements.filter(({ source }) => source === 'cve').flatMap((statement) => statement.ranges)
    const versions = findKnownVersions(ranges)
    const hash = digest(`${id} ${name}`)
    const version = versions[hash.readUInt32BE(4) % versions.length]
    if (version === undefined) continue
    const beside = listNeighbours(version)
    cases.push({
      id: `${id} ${name}`,
      place: hash.toString('hex'),
      statements,
      version,
      beside: beside[hash.readUInt32BE(8) % beside.length] ?? version,
    })
    for (const range of ranges)
      if (isNamedFix(range)) {
        addFix(`${id} ${name} ${range.lt}`, range.lt, statements)
        addVendors(id, name, { version: range.lt, statements })
      }
  }
}

const isNamedFix = (range: AffectedRange): range is Exclude<AffectedRange, string> & { lt: string } =>
  isVersionRange(range) &&
  rangeStatus(range) === 'affected' &&
  range.lt !== undefined &&
  range.order !== 'git' &&
  !range.is_fix_unstated

/** Where another source speaks of the same version, it confirms the fix or contradicts it; a contradicted version must not be called safe. */
function addFix(what: string, version: string, statements: Statement[]) {
  const answer = judgeStatements(version, statements)
  fixes.named++
  if (answer.status === 'unknown') fixes.unknown++
  const statuses = answer.by.filter(({ source }) => source !== 'cve').map(({ status }) => status)
  const isByCna = answer.by.some(({ source, status }) => source === 'cve' && status === 'not_affected')
  if (!isByCna || !statuses.length) return
  if (!statuses.includes('affected')) fixes.confirmed += Number(statuses.includes('not_affected'))
  else {
    fixes.contradicted++
    if (answer.status === 'not_affected') fixes.comforting.push(what)
  }
}

/** Vendors' words on the same end in advisories that are no source of the product here. */
function addVendors(id: string, name: string, { version, statements }: { version: string; statements: Statement[] }) {
  const isAffected = askVendors(id, name.split(/[:/]/).at(-1) ?? '', version)
  if (isAffected === undefined) return
  if (!isAffected) return void vendors.confirmed++
  vendors.contradicted++
  if (judgeStatements(version, statements).status === 'not_affected')
    vendors.comforting.push(`${id} ${name} ${version}`)
}

function count(about: string, answers: { id: string; answer: Answer }[]) {
  const byStatus = Map.groupBy(answers, ({ answer }) => answer.status)
  const unknown = byStatus.get('unknown') ?? []
  const percent = ((100 * unknown.length) / answers.length).toFixed(2)
  console.log(`${about}: ${answers.length} asked, ${unknown.length} unknown (${percent} %)`)
  const causes = [...Map.groupBy(unknown, ({ answer }) => explain(answer))].sort(([, a], [, b]) => b.length - a.length)
  for (const [cause, own] of causes) console.log(`  ${own.length}  ${cause}, for example ${own[0]?.id}`)
}

function explain({ range, is_disputed }: Answer) {
  if (is_disputed) return 'its sources disagree'
  if (range === null) return 'no source says anything of it'
  if (!isVersionRange(range)) return 'a version that cannot be compared'
  if (range.is_by_summary) return 'told by the summary alone'
  return range.status === 'unknown' ? 'left open by its source' : 'a version or a bound that cannot be compared'
}

for (const name of readdirSync(new URL('cve5/', realFeeds)).filter((one) => one.endsWith('.json.gz')))
  for (const [id, records] of readMirrorRecords(new Set(listCveIds(name)))) addCases(id, records)

const sample = cases.toSorted((a, b) => (a.place < b.place ? -1 : 1)).slice(0, size)
const judgeSample = (versionIn: (one: Case) => string) =>
  sample.map((one) => ({ id: `${one.id} ${versionIn(one)}`, answer: judgeStatements(versionIn(one), one.statements) }))
console.log(`${cases.length} products and packages with versions in the CVE list`)
count(
  'versions that a record names',
  judgeSample(({ version }) => version),
)
count(
  'versions right beside them',
  judgeSample(({ beside }) => beside),
)
const share = ((100 * fixes.unknown) / fixes.named).toFixed(2)
console.log(`ends that CNAs name: ${fixes.named}, unknown ${fixes.unknown} (${share} %)`)
console.log(
  `confirmed by a second source ${fixes.confirmed}, contradicted ${fixes.contradicted}, of these called safe ${fixes.comforting.length}`,
)
for (const what of fixes.comforting) console.log(`  ${what}`)

console.log(
  `confirmed by vendors in CSAF ${vendors.confirmed}, contradicted ${vendors.contradicted}, of these called safe ${vendors.comforting.length}`,
)
for (const what of vendors.comforting) console.log(`  ${what}`)
