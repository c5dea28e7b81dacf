import * as z from 'zod'
import { formatPurl, normalizePackageName } from '../../domain/names/purl'
import { BadDocument } from './bad-document'
import { memberReader, parseMember } from './json-text'
import { addEdge, addPart, lettersPerPart, newDraft, splitFew, type DraftSteps } from './part'

const Named = z.record(
  z.string(),
  z.unknown(),
  'Expected packages with their versions: of package.json its lock file is read',
)
const Restored = z.object({
  type: z.string(),
  resolved: z.string().optional(),
  dependencies: Named.optional(),
})

/** packages.lock.json: what NuGet restored for each framework; projects of the same solution are no packages. */
export function* readNugetLock(text: string): DraftSteps {
  const draft = newDraft('packages.lock.json')
  for (const [framework, packages] of Object.entries(memberReader(text)('dependencies', Named))) {
    const refer = (name: string) => `${framework} ${name.toLowerCase()}`
    const named = parseMember(Named, packages, `dependencies.${framework}`)
    for (const [name, value] of Object.entries(named)) {
      yield lettersPerPart
      const place = `dependencies["${framework}"]["${name}"]`
      const { type, resolved, dependencies = {} } = parseMember(Restored, value, place)
      if (type === 'Project' || type === 'Direct') draft.roots.push(refer(name))
      if (type !== 'Project') {
        if (!resolved) throw new BadDocument(place, 'A package needs a version')
        addPart(draft, { ref: refer(name), name, version: resolved, purl: formatPurl('nuget', name, resolved) }, place)
      }
      for (const needed of Object.keys(dependencies)) addEdge(draft, refer(name), refer(needed))
    }
  }
  return draft
}

const Pinned = z.object({ version: z.string().optional() })

/** Pipfile.lock: a package from an address or a folder has no version. */
export function* readPipfileLock(text: string): DraftSteps {
  const draft = newDraft('Pipfile.lock')
  const read = memberReader(text)
  for (const [list, scope] of [
    ['default', 'required'],
    ['develop', 'excluded'],
  ] as const) {
    const packages = read(list, Named.optional()) ?? {}
    for (const [name, value] of Object.entries(packages)) {
      yield lettersPerPart
      const place = `${list}["${name}"]`
      const version = parseMember(Pinned, value, place).version?.replace(/^={2,3}/, '')
      const purl = formatPurl('pypi', normalizePackageName('pypi', name), version)
      addPart(draft, { name, version, purl, scope }, place)
    }
  }
  return draft
}

const Pin = z.object({
  identity: z.string().optional(),
  package: z.string().optional(),
  location: z.string().optional(),
  repositoryURL: z.string().optional(),
  state: z.object({ version: z.string().nullish() }),
})
const Pins = z.array(Pin)

/** Package.resolved of Swift, in its three versions; a package that follows a branch has no version. */
export function* readSwiftPins(text: string): DraftSteps {
  const draft = newDraft('Package.resolved')
  const read = memberReader(text)
  const pins = read('object', z.object({ pins: Pins }).optional())?.pins ?? read('pins', Pins)
  for (const [at, { location, repositoryURL, state, ...named }] of pins.entries()) {
    yield lettersPerPart
    const address = readAddress(location ?? repositoryURL ?? '')
    const version = state.version ?? undefined
    // Advisories name packages by their address; those of a registry or a folder have none.
    const purl = address && formatPurl('swift', address, version)
    addPart(draft, { name: address ?? named.identity ?? named.package, version, purl }, `pins[${at}]`)
  }
  return draft
}

/** `github.com/apple/swift-nio` of `https://github.com/apple/swift-nio.git` or `git@github.com:apple/swift-nio.git`. */
const readAddress = (location: string) =>
  /^(?:\w+:\/\/)?(?:[^/@]*@)?([\w-]+(?:\.[\w-]+)+)(?::\d+\/|[/:])(.+?)(?:\.git)?\/?$/.exec(location)?.slice(1).join('/')

export const gradleLockSign = /^# This is a Gradle generated file|^[\w.-]+:[\w.-]+:[^\s:=]+=[\w,.-]*\r?$/m

/** gradle.lockfile: a coordinate, and the configurations that have it. */
export function* readGradleLock(text: string): DraftSteps {
  const draft = newDraft('gradle.lockfile')
  for (const [at, line] of text.split('\n').entries()) {
    yield line.length
    const entry = line.trim()
    if (!entry || entry.startsWith('#') || entry.startsWith('empty=')) continue
    const [, group, artifact, version, configurations = ''] =
      /^([^\s:=]+):([^\s:=]+):([^\s:=]+)=(\S*)$/.exec(entry) ?? []
    if (!group || !artifact || !version)
      throw new BadDocument(`line ${at + 1}`, 'Expected group:artifact:version=configurations')
    const isForTests = splitFew(configurations, /,/, `line ${at + 1}`).every((one) =>
      /^test|AndroidTest|UnitTest/.test(one),
    )
    const name = `${group}:${artifact}`
    const scope = isForTests ? 'excluded' : 'required'
    addPart(draft, { name, version, purl: formatPurl('maven', name, version), scope }, `line ${at + 1}`)
  }
  return draft
}
