import { join } from 'node:path'
import { Missing, sendJson } from './answer.ts'
import { listFiles, listRecords } from './compose.ts'
import type { MirrorRoute } from './route.ts'

type Cve = { name: string; public_date: string; threat_severity?: string }

const maxPage = 1_000

/** Red Hat's Security Data API: the list, newest first, and a page per CVE. */
export const redhatMirror: MirrorRoute[] = [
  {
    pattern: /^\/redhat\/cve\.json$/,
    async answer({ folder, cache, url, response }) {
      const rows = [...(await list(folder, cache)).values()].map(({ row }) => row)
      const after = url.searchParams.get('after') ?? ''
      const per_page = Math.min(Number(url.searchParams.get('per_page') ?? 1_000), maxPage)
      const page = Number(url.searchParams.get('page') ?? 1)
      const found = rows.filter(({ public_date }) => public_date > after)
      const newestFirst = found.toSorted((a, b) => (a.public_date < b.public_date ? 1 : -1))
      return sendJson(response, newestFirst.slice((page - 1) * per_page, page * per_page))
    },
  },
  {
    pattern: /^\/redhat\/cve\/(CVE-\d{4}-\d+)\.json$/,
    async answer({ folder, cache, match, response }) {
      const listed = (await list(folder, cache)).get(match[1] ?? '')
      if (!listed) throw new Missing('Not Found')
      return sendJson(response, await listed.read())
    },
  },
]

async function list(folder: string, cache: string) {
  const files = await listFiles(join(folder, 'redhat'), /^cve-\w+\.json(\.gz)?$/)
  if (!files.length) throw new Missing('This mirror has no redhat')
  return listRecords(cache, { name: 'redhat.jsonl', files, toRow })
}

const toRow = ({ name, public_date, threat_severity }: Cve) =>
  [
    name,
    {
      CVE: name,
      severity: threat_severity?.toLowerCase() ?? null,
      public_date,
      resource_url: `https://access.redhat.com/hydra/rest/securitydata/cve/${name}.json`,
    },
  ] satisfies [string, object]
