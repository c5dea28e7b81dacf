// Makes the `base` of all stories beside this file, tells the `same` story as workerd tells, or one that is given as JSON.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { prepare, simulate, simulateSame } from './simulation.ts'
import type { Story } from './story.ts'
import type { Base } from './world.ts'

const [migrations, base] = ['migrations', 'base'].map((name) => join(import.meta.dirname, name)) as [string, string]
const [, , story = ''] = process.argv
const tell = console.log
// The Worker reports each fault that it meets.
console.error = console.warn = console.log = () => undefined

if (story === 'base') writeFileSync(base, serialize(await prepare(migrations)))
else if (story === 'same') tell(await simulateSame(migrations))
else tell(JSON.stringify(await simulate(JSON.parse(story) as Story, deserialize(readFileSync(base)) as Base)))
process.exit(0)
