import { Missing, sendFile, sendJson } from './answer.ts'
import { listDeltaSources, listEntries, listFeedSources, newestEntries, readEntries, parseTime } from './nvd-sources.ts'
import type { Entry, NvdFile } from './nvd-sources.ts'
import { findYearFile } from './nvd-year.ts'
import type { MirrorRoute } from './route.ts'

const maxPage = 2000
const maxWindow_ms = 120 * 24 * 3600 * 1000

type Index = { version: string; entries: Promise<Entry[]> }
const indexes = new Map<string, Index>()

/** Reads the files in advance; otherwise the first request would wait for all of them. */
export async function warmApi(folder: string) {
  try {
    await listNewest(folder)
  } catch (error) {
    console.warn('The NVD mirror could not read its files ahead:', error)
  }
}

/** A page of the CVE API. `nvd/delta` is read anew on each request: a file dropped there is news from NVD. */
export async function answerApi(folder: string, query: URLSearchParams) {
  const startIndex = numberIn(query, 'startIndex', 0, Number.MAX_SAFE_INTEGER)
  const limit = numberIn(query, 'resultsPerPage', maxPage, maxPage)
  const isWithin = parseWindow(query)

  const found = (await listNewest(folder)).filter(isWithin)
  const texts = await readEntries(found.slice(startIndex, startIndex + limit))
  const vulnerabilities = texts.map((text) => JSON.parse(text) as unknown)
  return {
    resultsPerPage: vulnerabilities.length,
    startIndex,
    totalResults: found.length,
    format: 'NVD_CVE',
    version: '2.0',
    timestamp: new Date().toISOString().slice(0, 23),
    vulnerabilities,
  }
}

async function listNewest(folder: string) {
  const sources = [...(await listFeedSources(folder)), ...(await listDeltaSources(folder))]
  const version = sources.map((source) => source.version).join('\n')
  const known = indexes.get(folder)
  if (known?.version === version) return known.entries

  const entries = readNewest(sources)
  indexes.set(folder, { version, entries })
  entries.catch(() => indexes.delete(folder))
  return entries
}

async function readNewest(sources: NvdFile[]) {
  const lists: Entry[][] = []
  // One after the other: parsed together, the files would fill the memory.
  for (const source of sources) lists.push(await listEntries(source))
  return newestEntries(lists.flat())
}

function parseWindow(query: URLSearchParams) {
  const [start, end] = [timeIn(query, 'lastModStartDate'), timeIn(query, 'lastModEndDate')]
  if (start === undefined && end === undefined) return () => true
  if (start === undefined || end === undefined)
    throw new Missing('lastModStartDate and lastModEndDate must be text together')
  if (end < start) throw new Missing('lastModEndDate must not be before lastModStartDate')
  if (end - start > maxWindow_ms) throw new Missing('The date range must not be more than 120 days')
  return ({ modified_ms }: Entry) => modified_ms >= start && modified_ms <= end
}

function timeIn(query: URLSearchParams, name: string) {
  const text = query.get(name)
  if (!text) return undefined
  // A plus sign that was not encoded arrives as a space.
  const time = parseTime(text.replace(' ', '+'))
  if (Number.isNaN(time)) throw new Missing(`Invalid ${name} parameter`)
  return time
}

function numberIn(query: URLSearchParams, name: string, fallback: number, max: number) {
  const text = query.get(name)
  if (text === null) return fallback
  const number = Number(text)
  if (!/^\d+$/.test(text) || number > max) throw new Missing(`Invalid ${name} parameter`)
  return number
}

export const nvdMirror: MirrorRoute[] = [
  {
    pattern: /^\/nvd\/feeds\/nvdcve-2\.0-(\d{4})\.json\.gz$/,
    async answer({ folder, cache, match, request, response }) {
      const path = await findYearFile(folder, cache, Number(match[1]))
      return sendFile(request, response, { path, type: 'application/gzip' })
    },
  },
  {
    pattern: /^\/nvd\/rest\/json\/cves\/2\.0$/,
    answer: async ({ folder, url, response }) => sendJson(response, await answerApi(folder, url.searchParams)),
  },
]
