import * as z from 'zod'
import { stamp } from '../../db/time'
import type { Env } from '../../env'
import { openSource, readVersion } from '../read/fetch-source'
import { SourceError } from '../read/source-error'
import type { FeedPlace, Watched } from '../source/feed'
import { githubHeaders } from '../source/github'

const pageSize = 30
const maxPages = 10
const maxPageBytes = 8_000_000

const Releases = z.array(
  z.object({ assets: z.array(z.object({ name: z.string(), browser_download_url: z.url(), updated_at: z.string() })) }),
)

/** The changes of a day (UTC) up to `at`, or the whole list as of the day's midnight. */
export const CveFile = z.object({ url: z.string(), date: z.string(), at: z.string() })
export type CveFile = z.output<typeof CveFile>

/** All releases of a day carry it: `2026-11-20_all_CVEs_at_midnight.zip.zip`. */
export async function findWholeList(run: FeedPlace): Promise<CveFile> {
  for (let page = 1; page <= maxPages; page++) {
    const { files } = await listFiles(run, page)
    const whole = newest(files.filter(({ kind }) => kind === 'whole'))
    if (whole) return whole
    if (!files.length) break
  }
  throw new SourceError('The releases of the CVE list hold no whole list')
}

/** Oldest first. A delta holds all since midnight, so the last one of a day will do. Null when the releases begin after `through`. */
export async function findDeltas(
  run: FeedPlace,
  through: string,
): Promise<{ deltas: CveFile[]; whole?: CveFile; version: string } | null> {
  const files: Listed[] = []
  let version = ''
  for (let page = 1; page <= maxPages; page++) {
    const { files: more, version: listed } = await listFiles(run, page)
    if (page === 1) version = listed
    files.push(...more)
    if (!more.length) return null
    if (more.some(({ date }) => date <= through.slice(0, 10))) break
    if (page === maxPages) return null
  }
  const unread = files.filter(({ kind, at }) => kind === 'delta' && at > through).sort(byTime)
  const deltas = [...new Map(unread.map((file) => [file.date, file])).values()].sort(byTime)
  const whole = newest(files.filter(({ kind }) => kind === 'whole'))
  return { deltas: deltas.map(asFile), version, ...(whole && { whole }) }
}

type Listed = CveFile & { kind: 'whole' | 'delta' }

// Two releases may carry files of the same name, so we sort by the time of the release.
const byTime = (a: Listed, b: Listed) => a.at.localeCompare(b.at)
const asFile = ({ url, date, at }: Listed): CveFile => ({ url, date, at })

function newest(files: Listed[]) {
  const last = files.sort((a, b) => a.date.localeCompare(b.date) || byTime(a, b)).at(-1)
  return last && asFile(last)
}

const pageAddress = (origin: string, page: number) => {
  const url = new URL(origin)
  url.searchParams.set('per_page', String(pageSize))
  url.searchParams.set('page', String(page))
  return url
}

/** Each new release stands on the first page. */
export function watchReleases({ env, origin }: FeedPlace, version: string): Watched {
  const url = pageAddress(origin, 1)
  return { url: url.href, version, headers: headersFor(url, env) }
}

async function listFiles({ env, origin }: FeedPlace, page: number): Promise<{ files: Listed[]; version: string }> {
  const url = pageAddress(origin, page)
  const source = await openSource(url.href, { max_bytes: maxPageBytes, headers: headersFor(url, env) })
  if (!source) throw new SourceError(`No such page: ${url.href}`)

  const releases = Releases.safeParse(await new Response(source.body).json().catch(() => undefined))
  if (!releases.success) throw new SourceError('The releases of the CVE list are not what they were')
  const files = releases.data.flatMap(({ assets }) =>
    assets.flatMap(({ name, browser_download_url, updated_at }) => {
      const [, date, what] = /^(\d{4}-\d{2}-\d{2})_(all|delta)_CVEs_at_\w+\.zip(?:\.zip)?$/.exec(name) ?? []
      const made = new Date(updated_at)
      if (!date || Number.isNaN(made.getTime())) return []
      return [{ kind: what === 'all' ? 'whole' : 'delta', url: browser_download_url, date, at: stamp(made) } as const]
    }),
  )
  return { files, version: readVersion(source.headers) }
}

function headersFor({ host }: URL, env: Env): Record<string, string> {
  return host === 'api.github.com' ? githubHeaders(env, 'application/vnd.github+json') : {}
}
