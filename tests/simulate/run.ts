// `npm run simulate -- --seed 7`, `--seeds 1-40`, `--planted`: see README.md.
import { parseArgs } from 'node:util'
import { Teller } from './many.ts'
import { findPlanted } from './planted.ts'
import { shrink } from './shrink.ts'
import { wholeStory } from './simulation.ts'
import type { Ending, Story } from './simulation.ts'
import type { FaultName } from './faults.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    steps: { type: 'string', default: '2000' },
    until: { type: 'string' },
    fault: { type: 'string', multiple: true },
    'no-faults': { type: 'boolean' },
    organizations: { type: 'string' },
    without: { type: 'string' },
    planted: { type: 'boolean' },
    same: { type: 'boolean' },
  },
})

function readStory(seed: number): Story {
  const whole = wholeStory(seed, Number(values.steps))
  return {
    ...whole,
    ...(values['no-faults'] ? { faults: [] } : values.fault && { faults: values.fault as FaultName[] }),
    ...(values.organizations && { organizations: values.organizations.split(',') }),
    ...(values.without && { without: values.without.split(',').map(Number) }),
  }
}

function readRange(range: string) {
  const [from = 1, to = from] = range.split('-').map(Number)
  return [from, to] as const
}

async function tellMany(range: string) {
  const [from, to] = readRange(range)
  const teller = new Teller()
  const stories = Array.from({ length: to - from + 1 }, (_, at) => readStory(from + at))
  let [told, held, steps] = [0, 0, 0]
  const tally = () => console.log(`${held} of ${told} seeds hold, ${steps} steps`)
  await teller.tellAll(stories, (story, { problems, steps: taken }) => {
    told++
    steps += taken
    if (problems.length) console.log(`${formatCommand(story)}\n  ${problems.join('\n  ')}`)
    else held++
    if (told % 100 === 0 && told < stories.length) tally()
  })
  tally()
  teller.end()
  return held === told ? 0 : 1
}

async function tellOne(story: Story) {
  const teller = new Teller()
  try {
    const ending = await teller.tell(story)
    if (values.until) {
      const [last, lines] = [Number(values.until), ending.lines]
      for (const line of lines.filter(({ step }) => step <= last)) console.log(inWords(line))
      return 0
    }
    if (!ending.problems.length) {
      console.log(`Seed ${story.seed} holds: ${ending.events} events, ${ending.steps} steps`)
      return 0
    }
    const shorter = await shrink(story, ending, (one) => teller.tell(one))
    console.log(report(shorter.story, shorter.ending))
    return 1
  } finally {
    teller.end()
  }
}

type Line = Ending['lines'][number]
const inWords = ({ step, at, text }: Line) => `${String(step).padStart(6)}  ${at}  ${text}`

const report = (story: Story, ending: Ending) => `${ending.problems.join('\n')}

at step ${ending.steps}, after
${ending.lines.slice(-20).map(inWords).join('\n')}

Once more: ${formatCommand(story)}`

function formatCommand({ seed, steps, faults, organizations, without }: Story) {
  const whole = wholeStory(seed, steps)
  const chosen =
    faults.length === whole.faults.length ? [] : faults.length ? faults.map((one) => `--fault ${one}`) : ['--no-faults']
  return [
    `npm run simulate -- --seed ${seed} --steps ${steps}`,
    ...chosen,
    ...(organizations.length === whole.organizations.length ? [] : [`--organizations ${organizations.join()}`]),
    ...(without.length ? [`--without ${without.join()}`] : []),
  ].join(' ')
}

async function tellSame() {
  const teller = new Teller()
  console.log(await teller.tellSame())
  teller.end()
}

if (values.same) await tellSame()
else if (values.planted)
  process.exitCode = (await findPlanted(values.fault, readRange(values.seeds ?? '1-100'))) ? 0 : 1
else if (values.seeds) process.exitCode = await tellMany(values.seeds)
else process.exitCode = await tellOne(readStory(Number(values.seed ?? 1)))
