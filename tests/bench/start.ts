import { profileStart, readStartCost } from '../support/start-cost.ts'
import type { Figure } from './figures.ts'

/** What a new isolate costs before it answers. */
export async function measureStart(): Promise<Figure[]> {
  const { script, modules, evaluated } = await readStartCost()
  return [
    { what: 'CPU of the start', figure: `${(await profileStart(3)).toFixed(0)} ms`, bound: '120 ms' },
    { what: 'script', figure: `${(script / 1e6).toFixed(2)} MB`, bound: '2 MB' },
    { what: 'evaluated at the start', figure: `${modules} modules, ${Math.round(evaluated / 1000)} kB` },
  ]
}
