// `npm run simulate -- --seed 7`, `--seeds 1-40`, `--planted`: see README.md.
import { readArguments } from '../../scripts/start/arguments.ts'
import planted from './planted.json' with { type: 'json' }
import { faults, type Ending, type Story } from './story.ts'
import { shrink, Teller } from './teller.ts'

const [text, flag] = [{ type: 'string' } as const, { type: 'boolean' } as const]
const given = { seed: text, seeds: text, steps: text, without: text, fault: text, until: text }
const options = { ...given, planted: flag, same: flag }
const usage = `npm run simulate -- [--seed 7 | --seeds 1-40] [--steps 2000] [--planted [<name> …]] [--same] [--until <step>]
  [--fault <name>,… | --without <name>,…]   (${Object.keys(faults).join()})`
const { values, positionals } = readArguments(usage, { allowPositionals: true, options })

function listStories(seeds: string): Story[] {
  const [from = 1, to = from] = seeds.split('-').map(Number)
  const kept = values.fault?.split(',')
  const left = Object.keys(faults).filter((name) => kept?.includes(name) === false)
  const without = [...(values.without?.split(',') ?? []), ...left]
  const steps = Number(values.steps ?? 2_000)
  return Array.from({ length: to - from + 1 }, (_, at) => ({ seed: from + at, steps, without }))
}

const inWords = (lines: Ending['lines']) =>
  lines.map(({ step, at, text: what }) => `${String(step).padStart(6)}  ${at}  ${what}`).join('\n')

const toCommand = ({ seed, steps, without }: Story) =>
  `npm run simulate -- --seed ${seed} --steps ${steps} --without '${without.join()}'`
const report = (story: Story, { problems }: Ending) => console.log([toCommand(story), ...problems].join('\n  '))

/** Prints each that fails as it does; one that was told alone is told again with less. */
async function tellAll(teller: Teller, stories: Story[]) {
  let [told, steps] = [0, 0]
  const failed: [Story, Ending][] = []
  await teller.tellAll(stories, (story, ending) => {
    told++
    steps += ending.steps
    if (ending.problems.length) failed.push([story, ending])
    if (ending.problems.length) report(story, ending)
    if (values.until) console.log(inWords(ending.lines.filter(({ step }) => step <= Number(values.until))))
    if (told % 100 === 0 || told === stories.length)
      console.log(`${told - failed.length} of ${told} seeds hold, ${steps} steps`)
  })
  const [first] = failed
  if (first && stories.length === 1) {
    const { story, ending } = await shrink(...first, teller.tell)
    console.log(`With less, at step ${ending.steps} after\n${inWords(ending.lines.slice(-20))}`)
    report(story, ending)
  }
  return !first
}

/** Plants each of the mistakes and looks for the first of the stories that finds it; whether all were found. */
async function findPlanted(names: string[], stories: Story[]) {
  const chosen = planted.filter(({ name }) => !names.length || names.includes(name))
  let found = 0
  for (const mistake of chosen) {
    const planter = new Teller(mistake)
    const first = await findFirst(planter, stories)
    planter.end()
    if (first) found++
    console.log(`${mistake.name}\n  ${first ?? 'NOT FOUND'}`)
  }
  console.log(`${found} of ${chosen.length} planted mistakes found by ${stories.length} stories`)
  return found === chosen.length
}

async function findFirst(teller: Teller, stories: Story[]) {
  // Some break the first load, before any story.
  const fail = (why: unknown) => ({ problems: [/^Error: (?!A program).*/m.exec(String(why))?.[0] ?? String(why)] })
  for (const story of stories) {
    const [problem] = (await teller.tell(story).catch(fail)).problems
    if (problem !== undefined) return `seed ${story.seed}: ${problem.slice(0, 300)}`
  }
  return undefined
}

const teller = new Teller()
if (values.same) console.log(JSON.stringify(await teller.tellSame()))
else {
  const stories = listStories(values.seeds ?? values.seed ?? (values.planted ? '1-100' : '1'))
  const isGood = await (values.planted ? findPlanted(positionals, stories) : tellAll(teller, stories))
  process.exitCode = isGood ? 0 : 1
}
teller.end()
