import { measureDeliveries, measureSchedule } from './deliveries.ts'
import { measureFanOut } from './fan-out.ts'
import type { Figure } from './figures.ts'
import { measureHanging } from './hanging-receivers.ts'
import { measureMailDelay } from './mail-delay.ts'

/** `BENCH_ALERTS=orgs,items,changes,deliveries` tries it small; `BENCH_ALERT_PARTS=plan,faults,schedule,hang,mail` names some of it. */
const [orgs = 1_000, items = 10_000, changes = 300, deliveries = 10_000] = (process.env.BENCH_ALERTS ?? '')
  .split(',')
  .filter(Boolean)
  .map(Number)

const parts: Record<string, () => Promise<Figure[]>> = {
  plan: () => measureFanOut({ orgs, items, changes }),
  faults: () => measureDeliveries(deliveries),
  schedule: () => measureSchedule(deliveries),
  hang: () => measureHanging(),
  mail: () => measureMailDelay(),
}

export async function measureAlerts() {
  const wanted = process.env.BENCH_ALERT_PARTS?.split(',') ?? Object.keys(parts)
  const figures: Figure[] = []
  for (const name of wanted) figures.push(...((await parts[name]?.()) ?? []))
  return figures
}
