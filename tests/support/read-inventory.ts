import { readInventory } from '../../worker/inventories/read/read-inventory'
import type { ReadInventory } from '../../worker/inventories/read/tidy'

/** All of it at once. */
export function readAtOnce(text: string): ReadInventory {
  const steps = readInventory(text)
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value
}
