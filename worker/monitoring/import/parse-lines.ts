import { GroupLabels, RunVersions, parseWanted, splitList, watchedKinds } from '../../domain/names/watch-item'
import { parsePurl } from '../../domain/names/purl'
import type { Wanted, WatchedKind } from '../../domain/names/watch-item'
import { unquoteCell } from '../cells'
import { refuse } from './read-file'

/** A missing column is undefined: its value is left as it is. */
export type ListLine = {
  line: number
  wanted: Wanted
  groups: string[] | undefined
  versions: string[] | undefined
  /** False takes a product out of its vendor. */
  monitored: boolean
  /** Null for an empty cell: not known. */
  publicly_exposed: boolean | null | undefined
}
/** `first` is the earlier line that names the same. */
export type RepeatedLine = { line: number; wanted: Wanted; first: number }
export type LineProblem = { line: number; type: string; value: string; reason: string }

export type Fix = { line: number; value?: string | undefined; skip?: boolean | undefined }

const columns = ['type', 'value', 'groups', 'versions', 'monitored', 'publicly_exposed'] as const
type Cells = Record<(typeof columns)[number], string> & { line: number }

/** The header may name `type` and `value` in any order; each thing counts once. */
export function parseLines(rows: string[][], fixes: Fix[]) {
  const { places, first } = readHeader(rows)
  const fixed = new Map(fixes.map((fix) => [fix.line, fix]))
  const lines: ListLine[] = []
  const problems: LineProblem[] = []
  const repeated: RepeatedLine[] = []
  const firstLines = new Map<string, ListLine>()
  for (const [at, row] of rows.entries()) {
    const line = at + 1
    if (at < first || row.every((cell) => !cell.trim()) || fixed.get(line)?.skip) continue
    const pick = (name: (typeof columns)[number]) => {
      const place = places.get(name)
      return place === undefined ? '' : unquoteCell(row[place] ?? '').trim()
    }
    const value = fixed.get(line)?.value ?? pick('value')
    const cells = {
      line,
      type: pick('type'),
      value,
      groups: pick('groups'),
      versions: pick('versions'),
      monitored: pick('monitored'),
      publicly_exposed: pick('publicly_exposed'),
    }
    const parsed = parseLine(cells, places)
    if ('reason' in parsed) {
      problems.push(parsed)
      continue
    }
    const { wanted } = parsed
    const key = `${wanted.kind} ${wanted.value}`
    const before = firstLines.get(key)
    if (before === undefined) {
      firstLines.set(key, parsed)
      lines.push(parsed)
      continue
    }
    const versions = joinVersions(before, cells)
    if (!versions.success) {
      problems.push(toProblem(cells, versions.error.issues[0]?.message ?? 'The versions cannot be read'))
      continue
    }
    before.versions = versions.data
    repeated.push({ line, wanted, first: before.line })
  }
  return { lines, problems, repeated }
}

const findPurlVersion = ({ value }: Cells) => (value.startsWith('pkg:') ? (parsePurl(value)?.version ?? null) : null)

/** Lists of purls have a line for each version of a package that runs. */
function joinVersions({ versions }: ListLine, cells: Cells) {
  const version = cells.versions ? null : findPurlVersion(cells)
  return RunVersions.optional().safeParse(versions?.length && version !== null ? [...versions, version] : versions)
}

function readHeader(rows: string[][]) {
  const [header = []] = rows
  const names = header.map((cell) => cell.trim().toLowerCase())
  const places = new Map(
    columns.flatMap((name) => (names.includes(name) ? [[name, names.indexOf(name)] as const] : [])),
  )
  if (!places.has('type') || !places.has('value')) throw refuse('Line 1 must be the header: type,value,groups')
  return { places, first: 1 }
}

/** As people write the kinds, also in the plural. */
const kindsByName = new Map<string, WatchedKind>([
  ...watchedKinds.flatMap((kind): [string, WatchedKind][] => [
    [kind, kind],
    [`${kind}s`, kind],
  ]),
  ['vulnerability', 'vuln'],
  ['vulnerabilities', 'vuln'],
  ['cve', 'vuln'],
])
const noes = ['no', 'false', '0']
const exposures = new Map([
  ['', null],
  ...['yes', 'true', '1'].map((word) => [word, true] as const),
  ...noes.map((word) => [word, false] as const),
])
/** Value of a cell whose formula failed. */
const spreadsheetError = /^#(?:REF!|N\/A|NAME\?|VALUE!|DIV\/0!|NUM!|NULL!|SPILL!|CALC!|GETTING_DATA)$/i

const toProblem = ({ line, type, value }: Cells, reason: string): LineProblem => ({
  line,
  type: type.slice(0, 100),
  value: value.slice(0, 200),
  reason,
})

function parseLine(cells: Cells, places: Map<string, number>): ListLine | LineProblem {
  const { line, type, value } = cells
  const problem = (reason: string) => toProblem(cells, reason)
  const broken = Object.values(cells).find((cell) => typeof cell === 'string' && spreadsheetError.test(cell))
  if (broken !== undefined) return problem(`The spreadsheet could not compute a cell: ${broken}`)
  const kind = kindsByName.get(type.toLowerCase())
  if (!kind) return problem(`The type must be one of ${watchedKinds.join(', ')}`)
  const wanted = parseWanted(kind, value)
  if ('expected' in wanted) return problem(`The value must be ${wanted.expected}`)
  const groups = GroupLabels.safeParse(splitList(cells.groups))
  if (!groups.success) return problem(groups.error.issues[0]?.message ?? 'The groups cannot be read')
  const version = kind === 'package' && !cells.versions ? findPurlVersion(cells) : null
  const versions = RunVersions.safeParse(version === null ? splitList(cells.versions) : [version])
  if (!versions.success) return problem(versions.error.issues[0]?.message ?? 'The versions cannot be read')
  const canRun = kind === 'product' || kind === 'package'
  if (versions.data.length && !canRun) return problem('Only products and packages have versions')
  const publicly_exposed = exposures.get(cells.publicly_exposed.toLowerCase())
  if (publicly_exposed === undefined) return problem('Publicly exposed must be yes, no or empty')
  return {
    line,
    wanted,
    groups: places.has('groups') ? groups.data : undefined,
    versions: (places.has('versions') || version !== null) && canRun ? versions.data : undefined,
    monitored: kind !== 'product' || !noes.includes(cells.monitored.toLowerCase()),
    publicly_exposed: places.has('publicly_exposed') ? publicly_exposed : undefined,
  }
}
