import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Missing, sendFile } from './answer.ts'
import type { MirrorRoute } from './route.ts'

const list = (folder: string) => (existsSync(folder) ? readdirSync(folder).toSorted() : [])

/** Weaknesses as their origin packs them, and the JSON of those folders that lack it. */
export const cwePath = (folder: string) => {
  const names = list(join(folder, 'cwe'))
  if (names.some((name) => /^cwec_.*\.xml\.zip$/.test(name))) return '/data/xml/cwec_latest.xml.zip'
  return names.some((name) => /^cwe_.*\.json(\.gz)?$/.test(name)) ? '/data/json/cwe_latest.json' : ''
}

/** The domains of ATT&CK that a folder has, as addresses at the mirror. */
export const attackPaths = (folder: string) =>
  list(join(folder, 'attack')).flatMap((name) => {
    const domain = /^(enterprise|mobile|ics)-attack\.json(?:\.gz)?$/.exec(name)?.[1]
    return domain ? `/${domain}-attack/${domain}-attack.json` : []
  })

/** The last of a folder by its name, as it lies there: feeds unpack what is packed. */
const newestFile = (pattern: RegExp, folder: string, file: RegExp | ((domain: string) => RegExp)): MirrorRoute => ({
  pattern,
  answer: ({ folder: mirror, match, request, response }) => {
    const wanted = file instanceof RegExp ? file : file(match[1] ?? '')
    const name = list(join(mirror, folder)).findLast((candidate) => wanted.test(candidate))
    if (!name) throw new Missing(`This mirror has no ${wanted.source}`)
    const type = name.endsWith('.json') ? 'application/json' : 'application/octet-stream'
    return sendFile(request, response, { path: join(mirror, folder, name), type })
  },
})

export const singleFiles: MirrorRoute[] = [
  newestFile(/^\/kev\.json$/, 'cisa-kev', /^known_exploited_vulnerabilities\.json(\.gz)?$/),
  newestFile(/^\/eukev\.json$/, 'eukev', /^eukev\.json(\.gz)?$/),
  newestFile(/^\/epss\/epss_scores-current\.csv\.gz$/, 'epss', /^epss_scores-current\.csv(\.gz)?$/),
  newestFile(/^\/exploitdb\/files_exploits\.csv$/, 'exploitdb', /^files_exploits\.csv(\.gz)?$/),
  newestFile(/^\/metasploit\/modules_metadata_base\.json$/, 'metasploit', /^modules_metadata_base\.json(\.gz)?$/),
  newestFile(/^\/nuclei\/cves\.json$/, 'nuclei', /^cves\.json(\.gz)?$/),
  newestFile(/^\/api\/v1\/products\/full$/, 'endoflife', /^products-full.*\.json(\.gz)?$/),
  newestFile(/^\/data\/xml\/cwec_latest\.xml\.zip$/, 'cwe', /^cwec_.*\.xml\.zip$/),
  newestFile(/^\/data\/json\/cwe_latest\.json$/, 'cwe', /^cwe_.*\.json(\.gz)?$/),
  newestFile(/^\/capec\/2\.1\/stix-capec\.json$/, 'capec', /^stix-capec\.json(\.gz)?$/),
  newestFile(
    /^\/(enterprise|mobile|ics)-attack\/\1-attack\.json$/,
    'attack',
    (domain) => new RegExp(`^${domain}-attack\\.json(\\.gz)?$`),
  ),
]
