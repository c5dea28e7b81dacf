import { readInventory } from '../../worker/inventories/read/read-inventory'
import type { ReadInventory } from '../../worker/inventories/read/tidy'

/** All of it at once. */
export function readAtOnce(text: string): ReadInventory {
  const steps = readInventory(text)
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value
}

/** Why it is refused. */
export const readRefusal = (text: string) => {
  let reason = 'read'
  try {
    readAtOnce(text)
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error)
  }
  return reason
}

export const aPom = (dependencies: string) =>
  `<project><artifactId>a</artifactId><version>1</version>${dependencies}</project>`
