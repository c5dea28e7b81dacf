// `npm run simulate -- --seed 7`, `--seeds 1-40`, `--planted`: see README.md.
import { parseArgs } from 'node:util'
import planted from './planted.json' with { type: 'json' }
import { shrink } from './shrink.ts'
import { wholeStory } from './story.ts'
import type { Ending, Story } from './story.ts'
import { Teller } from './teller.ts'

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const parts = { faults: text, organizations: text, events: text }
const options = { seed: text, seeds: text, steps: text, until: text, planted: flag, same: flag, ...parts }
const { values, positionals } = parseArgs({ allowPositionals: true, options })

function listStories(seeds: string): Story[] {
  const [from = 1, to = from] = seeds.split('-').map(Number)
  const given = (Object.keys(parts) as (keyof typeof parts)[]).flatMap((part) => {
    const list = values[part]?.split(',').filter(Boolean)
    return list ? [[part, part === 'events' ? list.map(Number) : list]] : []
  })
  return Array.from({ length: to - from + 1 }, (_, at) => ({
    ...wholeStory(from + at, Number(values.steps ?? 2_000)),
    ...(Object.fromEntries(given) as Partial<Story>),
  }))
}

/** Prints each that fails as it does; one that was told alone is told again with less. */
async function tellAll(teller: Teller, stories: Story[]) {
  let [told, held, steps] = [0, 0, 0]
  const alone: [Story, Ending][] = []
  await teller.tellAll(stories, (story, ending) => {
    told++
    steps += ending.steps
    if (!ending.problems.length) held++
    else if (stories.length === 1) alone.push([story, ending])
    else console.log(`${formatCommand(story)}\n  ${ending.problems.join('\n  ')}`)
    if (values.until) console.log(inWords(ending.lines.filter(({ step }) => step <= Number(values.until))))
    if (told % 100 === 0 || told === stories.length) console.log(`${held} of ${told} seeds hold, ${steps} steps`)
  })
  for (const [story, ending] of alone) report(await shrink(story, ending, teller.tell))
  return held === told
}

function report({ story, ending }: { story: Story; ending: Ending }) {
  const last = inWords(ending.lines.slice(-20))
  const problems = ending.problems.join('\n')
  console.log(`${problems}\n\nat step ${ending.steps}, after\n${last}\n\nOnce more: ${formatCommand(story)}`)
}

const inWords = (lines: Ending['lines']) =>
  lines.map(({ step, at, text: what }) => `${String(step).padStart(6)}  ${at}  ${what}`).join('\n')

function formatCommand(story: Story) {
  const whole: Partial<Record<string, unknown>> = wholeStory(0, 0)
  const chosen = Object.entries(story).filter(([name, value]) => String(value) !== String(whole[name]))
  return ['npm run simulate --', ...chosen.map(([name, value]) => `--${name} '${String(value)}'`)].join(' ')
}

/** Plants each of the mistakes and looks for the first of the stories that finds it; whether all were found. */
async function findPlanted(names: string[], stories: Story[]) {
  const chosen = planted.filter(({ name }) => !names.length || names.includes(name))
  let found = 0
  for (const mistake of chosen) {
    const teller = new Teller(mistake)
    const first = await findFirst(teller, stories)
    teller.end()
    if (first) found++
    console.log(`${mistake.name}\n  ${first ?? 'NOT FOUND'}`)
  }
  console.log(`${found} of ${chosen.length} planted mistakes found by ${stories.length} stories`)
  return found === chosen.length
}

async function findFirst(teller: Teller, stories: Story[]) {
  for (const story of stories) {
    // Some break the first load, before any story.
    const fail = (error: unknown) => ({
      problems: [/^Error: (?!A program).*/m.exec(String(error))?.[0] ?? String(error)],
    })
    const { problems } = await teller.tell(story).catch(fail)
    if (problems.length) return `seed ${story.seed}: ${problems[0]?.slice(0, 300)}`
  }
  return undefined
}

const teller = new Teller()
const { seeds } = values
if (values.same) console.log(await teller.tellSame())
else {
  const isGood = await (values.planted
    ? findPlanted(positionals, listStories(seeds ?? '1-100'))
    : tellAll(teller, listStories(seeds ?? values.seed ?? '1')))
  process.exitCode = isGood ? 0 : 1
}
teller.end()
