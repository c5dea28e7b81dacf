import { createGzip } from 'node:zlib'
import { Readable } from 'node:stream'
import { Missing } from './answer.ts'
import { composeFile } from './compose.ts'
import { parseFeedYear, listEntries, listFeedSources, newestEntries, readEntries, type NvdFile } from './nvd-sources.ts'

/** The path of the feed file of a year: the mirrored one, or one composed of all files with records of that year. */
export async function findYearFile(folder: string, cache: string, year: number): Promise<string> {
  if (year < 2002 || year > new Date().getUTCFullYear()) throw new Missing(`There is no NVD feed of ${year}`)
  const sources = await listFeedSources(folder)
  const parts: NvdFile[] = []
  for (const source of sources) if (await hasYear(source, year)) parts.push(source)

  const [only, ...others] = parts
  if (only?.year && isServable(only) && others.length === 0) return only.path
  // The feed is dated by its newest change: the current time would give an unchanged feed another hash.
  const dating = new Set([...sources.filter((source) => source.year === undefined), ...parts])
  const files = [...dating].map(({ path }) => path)
  const pieces = () => feedPieces(year, parts, [...dating])
  return composeFile(cache, { name: `nvdcve-2.0-${year}.gz`, files, pieces })
}

const isServable = ({ path, key }: NvdFile) => path.endsWith('.gz') && key === 'vulnerabilities'

async function hasYear(source: NvdFile, year: number) {
  if (source.year) return source.year === year
  return (await listEntries(source)).some(({ id }) => parseFeedYear(id) === year)
}

async function* feedPieces(year: number, parts: NvdFile[], dating: NvdFile[]): AsyncGenerator<Uint8Array> {
  const all = (await Promise.all(dating.map(listEntries))).flat()
  const paths = new Set(parts.map(({ path }) => path))
  const made_at = new Date(all.reduce((newest, { modified_ms }) => Math.max(newest, modified_ms), 0))
  const entries = all.filter(({ id, source }) => paths.has(source.path) && parseFeedYear(id) === year)
  const records = await readEntries(newestEntries(entries))
  yield* Readable.from(feedTexts(records, made_at)).pipe(createGzip({ level: 1 }))
}

const batch = 500

// In pieces: a year is too large to be one string.
function* feedTexts(records: string[], made_at: Date) {
  const count = records.length
  yield `{"resultsPerPage":${count},"startIndex":0,"totalResults":${count},"format":"NVD_CVE","version":"2.0",`
  yield `"timestamp":"${made_at.toISOString().slice(0, 23)}","vulnerabilities":[`
  for (let from = 0; from < count; from += batch)
    yield (from > 0 ? ',' : '') + records.slice(from, from + batch).join(',')
  yield ']}'
}
