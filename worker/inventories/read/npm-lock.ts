import * as z from 'zod'
import { formatPurl } from '../../domain/names/purl'
import { BadDocument } from './bad-document'
import { memberReader, parseMember } from './json-text'
import { addEdge, addPart, lettersPerPart, newDraft, requireDepth, requireFewEntries } from './part'
import type { ComponentScope, Draft, DraftSteps } from './part'

const Names = z.record(z.string(), z.unknown()).optional()
const Locked = z.object({
  name: z.string().optional(),
  version: z.string().optional(),
  license: z.unknown().optional(),
  link: z.boolean().optional(),
  dev: z.boolean().optional(),
  optional: z.boolean().optional(),
  devOptional: z.boolean().optional(),
  dependencies: Names,
  optionalDependencies: Names,
  peerDependencies: Names,
  devDependencies: Names,
})
type Locked = z.output<typeof Locked>
const LockedOld = z.object({
  version: z.string(),
  dev: z.boolean().optional(),
  optional: z.boolean().optional(),
  requires: z.union([Names, z.boolean()]).optional(),
  dependencies: z.record(z.string(), z.unknown()).optional(),
})

export function* readNpmLock(text: string): DraftSteps {
  const read = memberReader(text)
  const lockfileVersion = read('lockfileVersion', z.int().min(1).max(3))
  const draft = newDraft(`package-lock.json ${lockfileVersion}`)
  draft.subject = read('name', z.string().optional()) ?? null
  draft.roots.push('')
  const packages = read('packages', Names)
  if (packages !== undefined) yield* readPackages(draft, packages)
  else yield* readOld(draft, read('dependencies', Names))
  return draft
}

const folder = 'node_modules/'

function* readPackages(draft: Draft, packages: Record<string, unknown>) {
  requireFewEntries(Object.keys(packages).length, 'packages')
  const locked = new Map(
    Object.entries(packages).map(([path, value]) => [path, parseMember(Locked, value, `packages["${path}"]`)] as const),
  )
  const folders = groupByFolder(locked)
  for (const [path, one] of locked) {
    yield lettersPerPart
    requireDepth(path.split(folder).length - 1, `packages["${path}"]`)
    const at = path.lastIndexOf(folder)
    if (at !== -1 && !one.link) {
      const name = one.name ?? path.slice(at + folder.length)
      addPart(draft, toPart(path, name, one), `packages["${path}"]`)
    }
    const needed = { ...one.dependencies, ...one.optionalDependencies, ...one.peerDependencies, ...one.devDependencies }
    const upward = parents(path).flatMap((parent) => folders.get(parent) ?? [])
    for (const name of Object.keys(needed)) {
      const target = upward.find((installed) => installed.has(name))?.get(name)
      if (target !== undefined) addEdge(draft, path, target)
    }
  }
}

/** Packages of each node_modules, by name: long paths are cut once and not for each dependency. */
function groupByFolder(locked: Map<string, Locked>) {
  const folders = new Map<string, Map<string, string>>()
  for (const path of locked.keys()) {
    const at = path.lastIndexOf(folder)
    if (at === -1) continue
    const parent = path.slice(0, at).replace(/\/$/, '')
    const installed = folders.get(parent) ?? new Map<string, string>()
    folders.set(parent, installed.set(path.slice(at + folder.length), path))
  }
  return folders
}

// As Node looks for a module: in each node_modules on the way up.
function parents(path: string) {
  const found = [path]
  for (let at = path.lastIndexOf(folder); at > 0; at = path.lastIndexOf(folder, at - 1))
    found.push(path.slice(0, at).replace(/\/$/, ''))
  return path === '' ? found : [...found, '']
}

type Scoped = 'dev' | 'optional' | 'devOptional'
const scopeFor = ({ dev, optional, devOptional }: Pick<Locked, Scoped>): ComponentScope =>
  dev ? 'excluded' : optional || devOptional ? 'optional' : 'required'

const toPart = (ref: string, name: string, { license, ...locked }: Pick<Locked, 'version' | 'license' | Scoped>) => ({
  ref,
  name,
  version: locked.version,
  purl: formatPurl('npm', name, locked.version),
  scope: scopeFor(locked),
  licence: typeof license === 'string' ? license : null,
})

// Version 1 nests what is installed inside of a package.
function* readOld(draft: Draft, dependencies: Record<string, unknown> = {}) {
  const open = [{ dependencies, inside: '', depth: 1 }]
  for (let next = open.pop(); next; next = open.pop()) {
    requireDepth(next.depth, next.inside)
    for (const [name, value] of Object.entries(next.dependencies)) {
      yield lettersPerPart
      const ref = `${next.inside}>${name}`
      const one = parseMember(LockedOld, value, `dependencies["${ref.slice(1)}"]`)
      addPart(draft, toPart(ref, name, one), `dependencies["${ref.slice(1)}"]`)
      addEdge(draft, next.inside, ref)
      if (one.dependencies) open.push({ dependencies: one.dependencies, inside: ref, depth: next.depth + 1 })
    }
  }
}

const Composed = z.object({
  name: z.string(),
  version: z.string(),
  license: z.array(z.string()).optional(),
  require: z.unknown().optional(),
})

export function* readComposerLock(text: string): DraftSteps {
  const read = memberReader(text)
  const draft = newDraft('composer.lock')
  for (const [list, scope] of [
    ['packages', 'required'],
    ['packages-dev', 'excluded'],
  ] as const) {
    const found = read(list, z.array(z.unknown()).optional())
    if (!found && list === 'packages') throw new BadDocument(list, 'Is missing')
    for (const [at, value] of (found ?? []).entries()) {
      yield lettersPerPart
      const one = parseMember(Composed, value, `${list}[${at}]`)
      const version = one.version.replace(/^v(?=\d)/, '')
      const names = { ref: one.name.toLowerCase(), name: one.name, version }
      const purl = formatPurl('composer', one.name.toLowerCase(), version)
      addPart(draft, { ...names, purl, scope, licence: one.license?.join(' OR ') }, `${list}[${at}]`)
      // A package without requirements is written with a list in place of an object.
      for (const needed of Object.keys(one.require ?? {})) addEdge(draft, names.ref, needed.toLowerCase())
    }
  }
  return draft
}
