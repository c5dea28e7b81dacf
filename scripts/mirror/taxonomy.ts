import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Missing, sendFile } from './answer.ts'
import type { MirrorRoute } from './route.ts'

/** Weaknesses as their origin packs them, and the JSON of those folders that lack it. */
export const cwePath = (folder: string) => {
  const names = existsSync(join(folder, 'cwe')) ? readdirSync(join(folder, 'cwe')).toSorted() : []
  if (names.some((name) => /^cwec_.*\.xml\.zip$/.test(name))) return '/data/xml/cwec_latest.xml.zip'
  return names.some((name) => /^cwe_.*\.json(\.gz)?$/.test(name)) ? '/data/json/cwe_latest.json' : ''
}

const findNewest = (folder: string, pattern: RegExp) => {
  const name =
    existsSync(folder) &&
    readdirSync(folder)
      .filter((one) => pattern.test(one))
      .toSorted()
      .at(-1)
  if (!name) throw new Missing(`This mirror has no ${pattern.source}`)
  return join(folder, name)
}

const newestFile = (pattern: RegExp, folder: string, file: (match: RegExpExecArray) => RegExp): MirrorRoute => ({
  pattern,
  answer: ({ folder: mirror, match, request, response }) => {
    const path = findNewest(join(mirror, folder), file(match))
    const type = /\.(gz|zip)$/.exec(path) ? 'application/octet-stream' : 'application/json'
    return sendFile(request, response, { path, type })
  },
})

export const taxonomyMirror: MirrorRoute[] = [
  newestFile(/^\/api\/v1\/products\/full$/, 'endoflife', () => /^products-full.*\.json(\.gz)?$/),
  newestFile(/^\/data\/xml\/cwec_latest\.xml\.zip$/, 'cwe', () => /^cwec_.*\.xml\.zip$/),
  newestFile(/^\/data\/json\/cwe_latest\.json$/, 'cwe', () => /^cwe_.*\.json(\.gz)?$/),
  newestFile(/^\/capec\/2\.1\/stix-capec\.json$/, 'capec', () => /^stix-capec\.json(\.gz)?$/),
  newestFile(
    /^\/(enterprise|mobile|ics)-attack\/\1-attack\.json$/,
    'attack',
    ([, domain]) => new RegExp(`^${domain}-attack\\.json(\\.gz)?$`),
  ),
]

/** The domains of ATT&CK that a folder has, as addresses at the mirror. */
export const attackPaths = (folder: string) =>
  ['enterprise', 'mobile', 'ics'].flatMap((domain) =>
    ['', '.gz'].some((ending) => existsSync(join(folder, 'attack', `${domain}-attack.json${ending}`)))
      ? `/${domain}-attack/${domain}-attack.json`
      : [],
  )
