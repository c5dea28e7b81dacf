import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { Teller } from './many.ts'
import { plantedFaults } from './planted-faults.ts'
import { shrink } from './shrink.ts'
import { wholeStory } from './simulation.ts'

// More in the long form: `npm run simulate -- --seeds 1-40` takes two minutes of both cores.
const [seeds, steps] = [12, 2_000]

test(`${seeds} stories of ${steps} steps with all faults hold`, { timeout: 400_000 }, async () => {
  const teller = new Teller()
  const failed: string[] = []
  let events = 0
  const stories = Array.from({ length: seeds }, (_, at) => wholeStory(at + 1, steps))
  await teller.tellAll(stories, (story, ending) => {
    events += ending.events
    if (ending.problems.length) failed.push(`npm run simulate -- --seed ${story.seed}: ${ending.problems.join('\n')}`)
  })
  expect(failed).toEqual([])
  // A story in which nothing happens proves nothing.
  expect(events).toBeGreaterThan(5 * seeds)
  teller.end()
})

test('a story is the same each time, and one that fails is told with less', { timeout: 300_000 }, async () => {
  const teller = new Teller()
  const [one, other] = [await teller.tell(wholeStory(3, steps)), await teller.tell(wholeStory(3, steps))]
  expect(one).toEqual(other)
  // Pretends that whatever has an event of birch fails.
  const pretend = async (story: ReturnType<typeof wholeStory>) => {
    const ending = await teller.tell(story)
    return { ...ending, problems: ending.lines.some(({ text }) => / birch /.test(text)) ? ['birch'] : [] }
  }
  // One round of it is enough.
  const whole = { ...wholeStory(3, 200), faults: [] }
  const { story } = await shrink(whole, await pretend(whole), pretend)
  expect(story.without.length).toBeGreaterThan(0)
  teller.end()
})

test('each planted fault can be planted into what the product is today', () => {
  const read = (file: string) => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8')
  const rotten = plantedFaults.filter(({ file, from }) => read(file).split(from).length !== 2)
  expect(rotten.map(({ name }) => name)).toEqual([])
  expect(plantedFaults.length).toBeGreaterThanOrEqual(20)
})
