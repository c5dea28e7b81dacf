// Makes the base, or tells one story: `<file of the base> <migrations> [story as JSON]`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'
import worker from 'told:worker'
import type { Base } from './base.ts'
import { prepare, simulate, simulateSame } from './simulation.ts'
import type { Story } from './simulation.ts'

const [path = '', migrations = '', story] = process.argv.slice(2)
const tell = console.log
// The Worker reports each fault that it meets.
console.error = console.warn = console.log = () => undefined

if (story === 'same') tell(await simulateSame(worker, migrations))
else if (!story) writeFileSync(path, serialize(await prepare(worker, migrations)))
else {
  if (!existsSync(path)) throw new Error(`${path} is not there`)
  const base = deserialize(readFileSync(path)) as Base
  tell(JSON.stringify(await simulate(JSON.parse(story) as Story, base, worker)))
}
process.exit(0)
