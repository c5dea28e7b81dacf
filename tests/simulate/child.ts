// `node tests/simulate/child.ts <file of the base> [story as JSON] [folder of another worker]`: makes the base, or tells one story.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { deserialize, serialize } from 'node:v8'
import '../bench/worker-modules.ts'
import type { Base } from './base.ts'
import { prepare, simulate } from './simulation.ts'
import type { Story } from './simulation.ts'

const [path = '', story, folder] = process.argv.slice(2)
const root = folder ? pathToFileURL(`${folder}/`) : new URL('../../', import.meta.url)
const { default: worker } = (await import(new URL('worker/index.ts', root).href)) as {
  default: Parameters<typeof prepare>[0]
}
const tell = console.log
// The Worker reports each fault that it meets.
console.error = console.warn = console.log = () => undefined

if (!story) writeFileSync(path, serialize(await prepare(worker, fileURLToPath(new URL('migrations', root)))))
else {
  if (!existsSync(path)) throw new Error(`${path} is not there`)
  const base = deserialize(readFileSync(path)) as Base
  tell(JSON.stringify(await simulate(JSON.parse(story) as Story, base, worker)))
}
process.exit(0)
