// `<file of the base> <migrations> <story as JSON>` tells a story, `base` makes the base of all, and `same` tells the story that workerd tells, too.
import { readFileSync, writeFileSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'
import { prepare, simulate, simulateSame } from './simulation.ts'
import type { Base } from './simulation.ts'
import type { Story } from './story.ts'

const [path = '', migrations = '', story = ''] = process.argv.slice(2)
const tell = console.log
// The Worker reports each fault that it meets.
console.error = console.warn = console.log = () => undefined

if (story === 'base') writeFileSync(path, serialize(await prepare(migrations)))
else if (story === 'same') tell(await simulateSame(migrations))
else tell(JSON.stringify(await simulate(JSON.parse(story) as Story, deserialize(readFileSync(path)) as Base)))
process.exit(0)
