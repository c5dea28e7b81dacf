// `npm run simulate -- --seed 7`, `--seeds 1-40`, `--planted`: see README.md.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import planted from './planted.json' with { type: 'json' }
import { shrink } from './shrink.ts'
import { wholeStory } from './story.ts'
import type { Ending, FaultName, Story } from './story.ts'
import { root, Teller } from './teller.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string' },
    steps: { type: 'string', default: '2000' },
    until: { type: 'string' },
    faults: { type: 'string' },
    organizations: { type: 'string' },
    events: { type: 'string' },
    planted: { type: 'boolean' },
    same: { type: 'boolean' },
  },
})

function listStories(range: string): Story[] {
  const [from = 1, to = from] = range.split('-').map(Number)
  const { faults, organizations, events } = values
  return Array.from({ length: to - from + 1 }, (_, at) => ({
    ...wholeStory(from + at, Number(values.steps)),
    ...(faults !== undefined && { faults: readList(faults) as FaultName[] }),
    ...(organizations !== undefined && { organizations: readList(organizations) }),
    ...(events !== undefined && { events: readList(events).map(Number) }),
  }))
}
const readList = (text: string) => text.split(',').filter(Boolean)

/** Prints each that fails as it does; one that was told alone is told again with less. */
async function tellAll(teller: Teller, stories: Story[]) {
  let [told, held, steps] = [0, 0, 0]
  const failed: { story: Story; ending: Ending }[] = []
  await teller.tellAll(stories, (story, ending) => {
    told++
    steps += ending.steps
    if (!ending.problems.length) held++
    else if (stories.length === 1) failed.push({ story, ending })
    else console.log(`${formatCommand(story)}\n  ${ending.problems.join('\n  ')}`)
    if (values.until) console.log(inWords(ending.lines.filter(({ step }) => step <= Number(values.until))))
    if (told % 100 === 0 || told === stories.length) console.log(`${held} of ${told} seeds hold, ${steps} steps`)
  })
  for (const { story, ending } of failed) console.log(report(await shrink(story, ending, teller.tell)))
  return held === told
}

const report = ({ story, ending }: { story: Story; ending: Ending }) => `${ending.problems.join('\n')}

at step ${ending.steps}, after
${inWords(ending.lines.slice(-20))}

Once more: ${formatCommand(story)}`

const inWords = (lines: Ending['lines']) =>
  lines.map(({ step, at, text }) => `${String(step).padStart(6)}  ${at}  ${text}`).join('\n')

function formatCommand(story: Story) {
  const whole: Partial<Record<string, unknown>> = wholeStory(0, 0)
  const options = Object.entries(story).filter(([name, value]) => String(value) !== String(whole[name]))
  return ['npm run simulate --', ...options.map(([name, value]) => `--${name} '${String(value)}'`)].join(' ')
}

type PlantedFault = (typeof planted)[number]

/** Plants each of the mistakes into a copy of the Worker and looks for the first of the stories that finds it; whether all were found. */
async function findPlanted(names: string[], stories: Story[]) {
  const chosen = planted.filter(({ name }) => !names.length || names.includes(name))
  let found = 0
  for (const fault of chosen) {
    const folder = plant(fault)
    const teller = new Teller(folder)
    const told = await findFirst(teller, stories)
    teller.end()
    rmSync(folder, { recursive: true, force: true })
    if (told) found++
    console.log(`${fault.name}\n  ${told ?? 'NOT FOUND'}`)
  }
  console.log(`${found} of ${chosen.length} planted mistakes found by ${stories.length} stories`)
  return found === chosen.length
}

async function findFirst(teller: Teller, stories: Story[]) {
  for (const story of stories) {
    // Some break the first load, before any story.
    const [problem] = await teller.tell(story).then(
      ({ problems }) => problems,
      (error: unknown) => [/\nError: .*/.exec(String(error))?.[0].trim() ?? String(error)],
    )
    if (problem) return `seed ${story.seed}: ${problem}`
  }
  return undefined
}

function plant({ name, file, from, to }: PlantedFault) {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-planted-'))
  for (const part of ['worker', 'migrations', 'scripts', 'tests', 'package.json', 'tsconfig.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const text = readFileSync(join(folder, file), 'utf8')
  if (!text.includes(from)) throw new Error(`${name}: ${file} has changed; the text to replace is not there`)
  writeFileSync(join(folder, file), text.replace(from, to))
  return folder
}

const teller = new Teller()
try {
  if (values.same) console.log(await teller.tellSame())
  else if (values.planted)
    process.exitCode = Number(!(await findPlanted(positionals, listStories(values.seeds ?? '1-100'))))
  else process.exitCode = Number(!(await tellAll(teller, listStories(values.seeds ?? values.seed))))
} finally {
  teller.end()
}
