import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { unzipSync } from 'fflate'
import { BundledProgram } from '../support/bundled-program.ts'
import type { Figure } from './figures.ts'

const [begin, end] = [Date.parse('2023-11-30T00:00:00Z'), Date.parse('2023-12-07T00:00:00Z')]
const week_ms = end - begin
/** KEV names days: six hours of Washington's working day, each entry at a second of its own. */
const kevHours = { from: 14, seconds: 6 * 3_600 }

/** An `id` followed by "withdrawn" is the all-clear. */
export type WeekChange = { feed: 'nvd' | 'kev' | 'osv' | 'malicious'; id: string; at: string }
export type WeekTold = {
  /** When a mail first named each. */
  named: Record<string, number>
  /** Requests by host and minute. */
  minutes: Record<string, Record<number, number>>
  written: number
  problems: string[]
}

/** A week of real change times, told to the Worker whose clock, queues and publishers are simulated (`tests/simulate`), and when their mails left. */
export async function measureWeek(feeds: string): Promise<Figure[]> {
  const program = new BundledProgram('tests/bench/week-child.ts')
  try {
    const [changes, file] = [readChanges(feeds), join(program.folder, 'week.json')]
    writeFileSync(file, JSON.stringify({ begin_ms: begin, end_ms: end, changes }))
    const told = JSON.parse(await program.run(file)) as WeekTold
    if (told.problems.length) throw new Error(told.problems.join('\n'))
    return [...describeDelays(changes, told), ...describeRequests(told), describeRows(told)]
  } finally {
    program.end()
  }
}

/** NVD's times are its own; KEV names days; those of OSV's Python records and of malicious packages are moved into the week by whole weeks, as few are of one. */
function readChanges(feeds: string): WeekChange[] {
  const read = (path: string) => readFileSync(join(feeds, path))
  const nvd = JSON.parse(gunzipSync(read('nvd/2.0/nvdcve-2.0-modified.2023-12-07.json.gz')).toString()) as {
    vulnerabilities: { cve: { id: string; lastModified: string } }[]
  }
  const kev = JSON.parse(read('cisa-kev/known_exploited_vulnerabilities.json').toString()) as {
    vulnerabilities: { cveID: string; dateAdded: string }[]
  }
  const osv = Object.values(unzipSync(read('osv/PyPI/all.zip'))).map(
    (data) => JSON.parse(new TextDecoder().decode(data)) as { id: string; modified: string },
  )
  const exploited = kev.vulnerabilities.map(({ cveID, dateAdded }) => ({
    feed: 'kev' as const,
    id: cveID,
    at: withinHours(dateAdded, cveID),
  }))
  const analysed = nvd.vulnerabilities.map(({ cve }) => ({
    feed: 'nvd' as const,
    id: cve.id,
    at: `${cve.lastModified}Z`,
  }))
  const listed = new Set(exploited.map(({ id }) => id))
  return [
    ...exploited.filter(isWithin),
    ...analysed.filter(({ id }) => !listed.has(id)).filter(isWithin),
    ...osv
      .filter(({ modified }) => modified.startsWith('2023') || modified.startsWith('2024'))
      .map(({ id, modified }) => ({ feed: 'osv' as const, id, at: intoWeek(modified) })),
    ...readMalicious(join(feeds, 'malicious/osv')),
  ].toSorted((a, b) => (a.at < b.at ? -1 : 1))
}

/** By whole weeks, too. An advisory that would be withdrawn before it came has come six hours earlier. */
function readMalicious(folder: string): WeekChange[] {
  const records = globSync('**/*.json', { cwd: folder }).map(
    (path) =>
      JSON.parse(readFileSync(join(folder, path), 'utf8')) as { id?: string; published?: string; withdrawn?: string },
  )
  return records.flatMap(({ id, published, withdrawn }) => {
    if (!id || !published) return []
    const feed = 'malicious' as const
    const came = intoWeek(published)
    if (!withdrawn) return [{ feed, id, at: came }]
    const over = intoWeek(withdrawn)
    const before = new Date(Date.parse(over) - 6 * 3_600_000).toISOString()
    return [
      { feed, id, at: came < before ? came : before },
      { feed, id: `${id} withdrawn`, at: over },
    ]
  })
}

function withinHours(day: string, cveid: string) {
  const second = (Number(cveid.split('-')[2]) * 7_919) % kevHours.seconds
  return new Date(Date.parse(day) + (kevHours.from * 3_600 + second) * 1_000).toISOString()
}

const isWithin = ({ at }: { at: string }) => Date.parse(at) >= begin && Date.parse(at) < end
const intoWeek = (at: string) =>
  new Date(begin + ((((Date.parse(at) - begin) % week_ms) + week_ms) % week_ms)).toISOString()

const names: Record<WeekChange['feed'], string> = {
  nvd: 'NVD',
  kev: 'CISA KEV',
  osv: 'OSV',
  malicious: 'malicious packages and all-clears',
}

function describeDelays(changes: WeekChange[], { named }: WeekTold): Figure[] {
  return [...Map.groupBy(changes, ({ feed }) => feed)].map(([feed, own]) => {
    const taken_s = own.flatMap(({ id, at }) => {
      const told = named[id]
      return told === undefined ? [] : [(told - Date.parse(at)) / 1000]
    })
    const ordered = taken_s.toSorted((a, b) => a - b)
    const at = (share: number) => `${((ordered[Math.floor(share * (ordered.length - 1))] ?? 0) / 60).toFixed(1)} min`
    return {
      what: `${names[feed]}, from the change to the mail`,
      figure: `p50 ${at(0.5)}, p95 ${at(0.95)}, the latest ${at(1)}; ${taken_s.length} of ${own.length} told`,
      bound: feed === 'kev' ? 'p95 3 min' : 'p95 6 min',
    }
  })
}

const days = week_ms / 86_400_000
const describeRequests = ({ minutes }: WeekTold): Figure[] =>
  Object.entries(minutes)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([host, counts]) => {
      const all = Object.values(counts)
      const sum = all.reduce((total, count) => total + count, 0)
      return {
        what: `requests to ${host.replace('.test', '')}`,
        figure: `${Math.round(sum / days)} a day, ${Math.max(...all)} in one minute at most`,
        bound: '1,440 a day',
      }
    })

const describeRows = ({ written }: WeekTold): Figure => ({
  what: 'rows written, entries of indexes left out',
  figure: `${Math.round(written / days).toLocaleString('en')} a day`,
})
