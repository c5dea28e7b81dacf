import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Missing } from './answer.ts'
import { listFiles } from './compose.ts'
import type { MirrorRoute } from './route.ts'

/** An advisory as GitHub's GraphQL API spells it: our samples come from there. */
type GraphAdvisory = {
  ghsaId: string
  summary: string
  description: string
  severity: string
  permalink: string
  publishedAt: string
  updatedAt: string
  withdrawnAt: string | null
  identifiers: { value: string }[]
  references: { url: string }[]
  cvss: { score: number; vectorString: string | null }
  cwes: { nodes: { cweId: string; name: string }[] }
  vulnerabilities: {
    nodes: {
      package: { ecosystem: string; name: string }
      firstPatchedVersion: { identifier: string } | null
      vulnerableVersionRange: string
    }[]
  }
}

const maxPage = 100

/** GitHub's list of reviewed advisories, by the time of their last change, paged by links. */
export const ghsaMirror: MirrorRoute[] = [
  {
    pattern: /^\/ghsa\/advisories$/,
    async answer({ folder, url, request, response }) {
      const since = (url.searchParams.get('updated') ?? '').replace(/^>=/, '')
      const per_page = Math.min(Number(url.searchParams.get('per_page') ?? 30), maxPage)
      const from = Number(url.searchParams.get('after') ?? 0)
      const found = (await readAdvisories(folder)).filter(({ updated_at }) => updated_at >= since)
      const next = new URL(url.pathname + url.search, `http://${request.headers.host}`)
      next.searchParams.set('after', String(from + per_page))
      const hasNext = from + per_page < found.length
      response.writeHead(200, {
        'content-type': 'application/json; charset=utf-8',
        ...(hasNext && { link: `<${next.href}>; rel="next"` }),
      })
      return response.end(JSON.stringify(found.slice(from, from + per_page)))
    },
  },
]

async function readAdvisories(folder: string) {
  const files = await listFiles(join(folder, 'ghsa/rest-api-sample'), /\.json$/)
  if (!files.length) throw new Missing('This mirror has no ghsa')
  const advisories = await Promise.all(
    files.map(async (file) => convertAdvisory(JSON.parse(await readFile(file, 'utf8')) as GraphAdvisory)),
  )
  return advisories.toSorted((a, b) => (a.updated_at < b.updated_at ? -1 : 1))
}

const restEcosystems: Record<string, string> = { PIP: 'pip', RUST: 'rust', GO: 'go' }

/** The same advisory as the REST API spells it. */
function convertAdvisory(advisory: GraphAdvisory) {
  const { ghsaId, identifiers, cvss, vulnerabilities } = advisory
  const v3 = { vector_string: cvss.vectorString, score: cvss.score }
  return {
    ghsa_id: ghsaId,
    cve_id: identifiers.find(({ value }) => value.startsWith('CVE-'))?.value ?? null,
    html_url: advisory.permalink,
    summary: advisory.summary,
    description: advisory.description,
    type: 'reviewed',
    severity: advisory.severity.toLowerCase(),
    identifiers: identifiers.map(({ value }) => ({ value, type: value.split('-', 1)[0] })),
    references: advisory.references.map(({ url }) => url),
    published_at: advisory.publishedAt,
    updated_at: advisory.updatedAt,
    withdrawn_at: advisory.withdrawnAt,
    vulnerabilities: vulnerabilities.nodes.map((vuln) => ({
      package: {
        ecosystem: restEcosystems[vuln.package.ecosystem] ?? vuln.package.ecosystem.toLowerCase(),
        name: vuln.package.name,
      },
      vulnerable_version_range: vuln.vulnerableVersionRange,
      first_patched_version: vuln.firstPatchedVersion?.identifier ?? null,
    })),
    cvss: v3,
    cvss_severities: { cvss_v3: v3, cvss_v4: { vector_string: null, score: 0 } },
    cwes: advisory.cwes.nodes.map(({ cweId, name }) => ({ cwe_id: cweId, name })),
  }
}
