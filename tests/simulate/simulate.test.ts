import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { Teller } from './many.ts'
import { plantedFaults } from './planted-faults.ts'
import { shrink } from './shrink.ts'
import { wholeStory } from './simulation.ts'
import type { Ending, Story } from './simulation.ts'

// More in the long form: `npm run simulate -- --seeds 41-1000`.
const [seeds, steps] = [40, 2_000]
const teller = new Teller()
afterAll(() => teller.end())

test(
  `${seeds} stories of ${steps} steps with all faults hold, and are the same each time`,
  { timeout: 600_000 },
  async () => {
    const endings: Ending[] = []
    const failed: string[] = []
    const stories = Array.from({ length: seeds }, (_, at) => wholeStory(at + 1, steps))
    await teller.tellAll(stories, (story, ending) => {
      endings[story.seed] = ending
      if (ending.problems.length) failed.push(`npm run simulate -- --seed ${story.seed}: ${ending.problems.join('\n')}`)
    })
    expect(failed).toEqual([])
    // A story in which nothing happens proves nothing.
    for (const ending of endings.slice(1)) expect(ending.events).toBeGreaterThan(5)
    expect(await teller.tell(wholeStory(3, steps))).toEqual(endings[3])
  },
)

test('a story is told without whatever is left out', { timeout: 100_000 }, async () => {
  const tell = async (without: number[]) => {
    const { lines } = await teller.tell({ ...wholeStory(3, 200), faults: [], organizations: ['birch'], without })
    const text = lines.map((line) => line.text).join('\n')
    return { text, events: new Set([...text.matchAll(/event (\d+): /g)].map(([, number]) => Number(number))) }
  }
  const [kept = 0, ...left] = [...(await tell([])).events]
  const { text, events } = await tell(left)
  expect(left.length).toBeGreaterThan(0)
  expect([...events]).toContain(kept)
  expect(left.filter((one) => events.has(one))).toEqual([])
  expect(text).not.toMatch(/fault |alder|cedar/)
})

test('a story that fails is told with less until nothing can be left out', async () => {
  // Fails where birch has its seventh and its eleventh event, and a call is killed.
  const pretend = ({ faults, organizations, without }: Story) => {
    const isFailing =
      faults.includes('killed') && organizations.includes('birch') && ![7, 11].some((one) => without.includes(one))
    return Promise.resolve({ problems: isFailing ? ['birch'] : [], steps: 1, events: 30, lines: [] })
  }
  const whole = wholeStory(3, 200)
  const { story } = await shrink(whole, await pretend(whole), pretend)
  expect(story).toMatchObject({ faults: ['killed'], organizations: ['birch'] })
  expect(Array.from({ length: 30 }, (_, at) => at + 1).filter((one) => !story.without.includes(one))).toEqual([7, 11])
})

// `tests/worker/same-story` tells it in workerd.
test('a story ends as it ends in workerd', { timeout: 100_000 }, async () => {
  const golden = readFileSync(fileURLToPath(new URL('../golden/same-story.json', import.meta.url)), 'utf8')
  expect(JSON.parse(await teller.tellSame())).toEqual(JSON.parse(golden))
})

test('each planted fault can be planted into what the product is today', () => {
  const read = (file: string) => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8')
  const rotten = plantedFaults.filter(({ file, from }) => read(file).split(from).length !== 2)
  expect(rotten.map(({ name }) => name)).toEqual([])
  expect(plantedFaults.length).toBeGreaterThanOrEqual(20)
})
