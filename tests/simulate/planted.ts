import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Teller } from './many.ts'
import { plantedFaults } from './planted-faults.ts'
import type { PlantedFault } from './planted-faults.ts'
import { wholeStory } from './simulation.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const steps = 2_000

/** Plants each fault into a copy of the Worker and looks for the first of the seeds that finds it; whether all were found. */
export async function findPlanted(names: string[] | undefined, [from, to]: readonly [number, number]) {
  const chosen = plantedFaults.filter(({ name }) => !names || names.includes(name))
  let found = 0
  for (const fault of chosen) {
    const folder = plant(fault)
    const teller = new Teller(folder)
    let told = 'NOT FOUND'
    for (let seed = from; seed <= to && told === 'NOT FOUND'; seed++) {
      // Some break the first load, before any story.
      const [problem] = await teller.tell(wholeStory(seed, steps)).then(
        ({ problems }) => problems,
        (error: unknown) => [/Error: .*/.exec(String(error).split('\n').slice(1).join('\n'))?.[0] ?? String(error)],
      )
      if (problem) told = `seed ${seed}: ${problem.split('\n')[0]}`
    }
    teller.end()
    rmSync(folder, { recursive: true, force: true })
    if (told !== 'NOT FOUND') found++
    console.log(`${fault.name}\n  ${told}`)
  }
  console.log(`${found} of ${chosen.length} planted faults found by seeds ${from} to ${to} of ${steps} steps`)
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
