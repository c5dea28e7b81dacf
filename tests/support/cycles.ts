import type { Import } from './sources.ts'

export type Edge = { from: string; to: string; because: string }

/** The circles in which places import each other, each once, with the imports that close it. */
export function cyclesBetween(edges: Edge[]) {
  const reached = new Map<string, Set<string>>()
  for (const { from } of edges) if (!reached.has(from)) reached.set(from, placesFrom(from, edges))
  const isTogether = (a: string, b: string) => Boolean(reached.get(a)?.has(b) && reached.get(b)?.has(a))
  const known = new Set<string>()
  return [...reached.keys()].toSorted().flatMap((place) => {
    const members = [...reached.keys()].filter((other) => isTogether(place, other)).toSorted()
    if (members.length < 2 || known.has(place)) return []
    for (const member of members) known.add(member)
    const closing = edges.filter(({ from, to }) => from !== to && members.includes(from) && members.includes(to))
    return [`${members.join(', ')}: ${[...new Set(closing.map(({ because }) => because))].join('; ')}`]
  })
}

function placesFrom(start: string, edges: Edge[]) {
  const found = new Set<string>()
  const open = [start]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    for (const { from, to } of edges) {
      if (from !== place || found.has(to)) continue
      found.add(to)
      open.push(to)
    }
  }
  return found
}

/** `place` names the place of a file; undefined ignores the file. */
export function findCycles(imports: Import[], place: (path: string) => string | undefined) {
  return cyclesBetween(
    imports.flatMap(({ from: file, to: target }) => {
      const [from, to] = [place(file), place(target)]
      return from === undefined || to === undefined || from === to ? [] : [{ from, to, because: `${file} → ${target}` }]
    }),
  )
}
