import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Teller } from './many.ts'
import { plantedFaults } from './planted-faults.ts'
import type { PlantedFault } from './planted-faults.ts'
import { wholeStory } from './simulation.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const maxSeeds = 100
const steps = 4_000

/** Plants each fault into a copy of the Worker and looks for a seed that finds it; whether all were found. */
export async function findPlanted(names?: string[]) {
  const chosen = plantedFaults.filter(({ name }) => !names || names.includes(name))
  let found = 0
  for (const fault of chosen) {
    const folder = plant(fault)
    const teller = new Teller(folder)
    let [seed, problem]: [number | undefined, string] = [undefined, '']
    await teller.tellAll(
      Array.from({ length: maxSeeds }, (_, at) => wholeStory(at + 1, steps)),
      (story, ending) => {
        if (!ending.problems[0] || (seed !== undefined && seed < story.seed)) return
        seed = story.seed
        problem = ending.problems[0]
      },
      () => seed !== undefined,
    )
    teller.end()
    rmSync(folder, { recursive: true, force: true })
    if (seed !== undefined) found++
    console.log(`${seed === undefined ? 'NOT FOUND' : `seed ${seed}`}  ${fault.name}: ${problem.split('\n')[0] ?? ''}`)
  }
  console.log(`${found} of ${chosen.length} planted faults found within ${maxSeeds} seeds of ${steps} steps`)
  return found === chosen.length
}

function plant({ name, file, from, to }: PlantedFault) {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-planted-'))
  for (const part of ['worker', 'migrations', 'scripts', 'tests'])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  for (const one of ['package.json', 'tsconfig.json']) cpSync(join(root, one), join(folder, one))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const path = join(folder, file)
  const text = readFileSync(path, 'utf8')
  if (!text.includes(from)) throw new Error(`${name}: ${file} has changed; the text to replace is not there`)
  writeFileSync(path, text.replace(from, to))
  return folder
}
