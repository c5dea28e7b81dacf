import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/start/options.ts'

const declaration =
  /^export (?:default )?(?:async )?(?:function\*?|const|let|class|abstract class|type|interface|enum) (\w+)/gm

/** The names that two or more of these files export, each with its files; a schema and its type in one file are one. */
export function findTwins(files: string[]) {
  const places = new Map<string, Set<string>>()
  for (const file of files) {
    for (const [, name = ''] of readFileSync(join(root, file), 'utf8').matchAll(declaration))
      places.set(name, (places.get(name) ?? new Set()).add(file))
  }
  return [...places]
    .filter(([, found]) => found.size > 1)
    .map(([name, found]) => `${name}: ${[...found].join(', ')}`)
    .toSorted()
}
