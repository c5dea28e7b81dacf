import { formatCpe, parseCpe, versionInCpe } from '../../domain/names/cpe'
import { formatPurl, parsePurl } from '../../domain/names/purl'
import { type ComponentScope, type Draft, type DraftPart, componentScopes, lettersPerPart } from './part'

/** `key` tells it from the others; `path` are the names that lead to it, the outermost first. */
export type Component = Omit<DraftPart, 'ref'> & { key: string; path: string[] }
export type ReadInventory = { format: string; subject: string | null; components: Component[] }

/** A path is shown, not walked: of a longer one the middle is left out. */
const maxPath = { head: 3, tail: 8, letters: 120 }

/** Each component once, with the shortest path to it from a root; dependencies may run in circles. */
export function* tidy({ format, subject, parts, edges, roots }: Draft): Generator<number, ReadInventory> {
  const byKey = new Map<string, DraftPart>()
  const keyByRef = new Map<string, string>()
  for (const part of parts) {
    const key = identify(part)
    keyByRef.set(part.ref, key)
    const known = byKey.get(key)
    byKey.set(key, known ? joinParts(known, part) : part)
    yield lettersPerPart
  }
  const paths = yield* findPaths({ edges, roots: findRoots(edges, roots, keyByRef), keyByRef, byKey })
  const components = [...byKey].map(([key, { ref: _, ...part }]) => ({
    ...part,
    key,
    path: [...(subject ? [subject] : []), ...(paths.get(key) ?? [])],
  }))
  return { format, subject, components }
}

/** One key for each spelling of a name; a name without a version is told apart by the version beside it. */
function identify({ name, version, purl, cpe }: DraftPart) {
  const parsed = purl === null ? null : parsePurl(purl)
  if (parsed) return formatPurl(parsed.type, parsed.name, parsed.version ?? version ?? '', parsed)
  const product = purl === null && cpe !== null ? parseCpe(cpe) : null
  if (product && versionInCpe(product) !== null) return formatCpe(product)
  return `${purl ?? cpe?.toLowerCase() ?? name}@${version ?? ''}`
}

const joinParts = (known: DraftPart, again: DraftPart): DraftPart => ({
  ...known,
  cpe: known.cpe ?? again.cpe,
  licence: known.licence ?? again.licence,
  scope: nearest(known.scope, again.scope),
})

const nearest = (a: ComponentScope, b: ComponentScope) =>
  componentScopes.indexOf(a) <= componentScopes.indexOf(b) ? a : b

// Without a subject whatever nobody needs is where it begins.
function findRoots(edges: Draft['edges'], roots: string[], keyByRef: Map<string, string>) {
  if (roots.some((root) => edges.has(root))) return roots
  const needed = new Set([...edges.values()].flatMap((all) => all.filter((ref) => edges.has(ref))))
  return [...edges.keys()].filter((ref) => !needed.has(ref) && keyByRef.has(ref)).concat(roots)
}

type Graph = {
  edges: Draft['edges']
  roots: string[]
  keyByRef: Map<string, string>
  byKey: Map<string, DraftPart>
}

/** For each component what it is first reached through. */
function* findPaths({ edges, roots, keyByRef, byKey }: Graph) {
  const paths = new Map<string, string[]>()
  const reached = new Map(roots.map((root): [string, string[]] => [root, []]))
  for (const [ref, path] of reached) {
    yield lettersPerPart
    const key = keyByRef.get(ref)
    const part = key === undefined ? undefined : byKey.get(key)
    if (key !== undefined && !paths.has(key)) paths.set(key, path)
    const next = part ? longer(path, part.version ? `${part.name} ${part.version}` : part.name) : path
    // Entries that are added while a Map is walked are walked, too.
    for (const to of edges.get(ref) ?? [])
      if (!reached.has(to) && (keyByRef.has(to) || edges.has(to))) reached.set(to, next)
  }
  return paths
}

function longer(path: string[], written: string) {
  const name = written.length > maxPath.letters ? `${written.slice(0, maxPath.letters)}…` : written
  if (path.length < maxPath.head + maxPath.tail) return [...path, name]
  const tail = path.slice(-maxPath.tail + 1)
  return [...path.slice(0, maxPath.head), '…', ...tail, name]
}
