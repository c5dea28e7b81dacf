import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root } from '../../scripts/start/options.ts'

export type Import = { from: string; to: string; isType: boolean }

/** The TypeScript files below a folder of the repository, as paths from its root. */
export function listSourceFiles(folder: string): string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
  return entries
    .filter((entry) => entry.isFile() && /\.(ts|tsx|mjs)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .toSorted()
}

const statements = [
  /^(?:import|export)\s+(?<type>type\s)?[^'"]*?from\s+['"](?<to>[^'"]+)['"]/gm,
  /^import\s+['"](?<to>[^'"]+)['"]/gm,
  /\bimport\(\s*['"](?<to>[^'"]+)['"]\s*\)/g,
]

/** Imports of a file: relative imports as paths from the root and without ending, packages by their name. */
export function listImports(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8')
  return statements.flatMap((statement) =>
    [...text.matchAll(statement)].map(({ groups = {} }) => ({
      from: file,
      to: resolveFrom(file, groups.to ?? ''),
      isType: groups.type !== undefined,
    })),
  )
}

function resolveFrom(file: string, target: string) {
  return target.startsWith('.') ? join(dirname(file), target).replace(/\.tsx?$/, '') : target
}

/** Objects that migrations make and do not drop afterwards. */
export function listStanding(sql: string, kind: 'index' | 'trigger') {
  const events = sql.matchAll(new RegExp(`(create(?: unique)?|drop) ${kind} (?:if exists )?[\`"]?(\\w+)`, 'gi'))
  const last = new Map([...events].map(([, verb = '', name = '']) => [name, verb.toLowerCase()]))
  return [...last].flatMap(([name, verb]) => (verb === 'drop' ? [] : name))
}
