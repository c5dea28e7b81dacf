// Makes the base, or tells one story: `<file of the base> <migrations> [story as JSON]`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'
import type { Base } from './base.ts'
import { prepare, simulate, simulateSame } from './simulation.ts'
import type { Story } from './simulation.ts'
import type { Handlers } from './world.ts'

const [path = '', migrations = '', story] = process.argv.slice(2)
const tell = console.log
// The Worker reports each fault that it meets.
console.error = console.warn = console.log = () => undefined

let opened = 0
/** The Worker beside this file once more, which knows nothing of what another isolate keeps in its memory. */
const openIsolate = async () =>
  ((await import(new URL(`./index.mjs?isolate=${++opened}`, import.meta.url).href)) as { default: Handlers }).default

if (story === 'same') tell(await simulateSame(openIsolate, migrations))
else if (!story) writeFileSync(path, serialize(await prepare(openIsolate, migrations)))
else {
  if (!existsSync(path)) throw new Error(`${path} is not there`)
  const base = deserialize(readFileSync(path)) as Base
  tell(JSON.stringify(await simulate(JSON.parse(story) as Story, base, openIsolate)))
}
process.exit(0)
