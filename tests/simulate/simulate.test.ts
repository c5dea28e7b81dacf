import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { root } from '../../scripts/start/options.ts'
import golden from '../golden/same-story.json'
import { organizationNames } from '../support/founding.ts'
import planted from './planted.json'
import { faults, wholeStory, type Ending, type Story } from './story.ts'
import { shrink, Teller } from './teller.ts'

// More in the long form: `npm run simulate -- --seeds 41-1000`.
const [seeds, steps] = [40, 2_000]
const teller = new Teller()
afterAll(() => teller.end())

test(`${seeds} stories of ${steps} steps with all faults hold, and are the same each time`, async () => {
  const endings = new Map<string, Ending>()
  const stories = Array.from({ length: seeds }, (_, at) => wholeStory(at + 1, steps))
  await teller.tellAll(stories, ({ seed }, ending) => void endings.set(`npm run simulate -- --seed ${seed}`, ending))
  expect([...endings].flatMap(([again, { problems }]) => problems.map((one) => `${again}: ${one}`))).toEqual([])
  // A story in which nothing happens proves nothing.
  for (const { events } of endings.values()) expect(events).toBeGreaterThan(5)
  expect(await teller.tell(wholeStory(3, steps))).toEqual(endings.get('npm run simulate -- --seed 3'))
}, 600_000)

test('a story is told without whatever is left out', { timeout: 100_000 }, async () => {
  const tell = async (...without: string[]) => {
    const { lines } = await teller.tell({ seed: 3, steps: 200, without: [...Object.keys(faults), 'alder', ...without] })
    return lines.map(({ text }) => text).join('\n')
  }
  const [, first = '', ...left] = (await tell()).split(/event (\d+): /)
  expect(left.length).toBeGreaterThan(1)
  expect(await tell(first)).not.toMatch(new RegExp(`event ${first}: |fault |alder`))
})

test('a story that fails is told with less until nothing can be left out', async () => {
  const needed = ['birch', 'killed', '7', '11']
  const pretend = ({ without }: Story) => {
    const isFailing = !needed.some((name) => without.includes(name))
    return Promise.resolve({ problems: isFailing ? ['birch'] : [], steps: 1, events: 30, lines: [] })
  }
  const whole = wholeStory(3, 200)
  const { story } = await shrink(whole, await pretend(whole), pretend)
  const all = [...organizationNames, ...Object.keys(faults), ...Array.from({ length: 30 }, (_, at) => `${at + 1}`)]
  expect(all.filter((name) => !story.without.includes(name))).toEqual(needed)
})

// `tests/worker/same-story` tells it in workerd.
test('a story ends as it ends in workerd', { timeout: 100_000 }, async () => {
  expect(await teller.tellSame()).toEqual(golden)
})

test('each mistake can be planted into what the product is today', () => {
  const rotten = planted.filter(({ file, from }) => readFileSync(join(root, file), 'utf8').split(from).length !== 2)
  expect(rotten.map(({ name }) => name)).toEqual([])
  expect(planted.length).toBeGreaterThanOrEqual(20)
})
