import type { Env } from '../env'
import type conformance from './conformance.json'
import type sources from './sources.json'

/** The part of public pages that the build of the web writes (`web/worker-pages/build.ts`), so that it is no part of the Worker's script. */
export type Built = {
  styles: string
  script: string
  /** As a policy names them. */
  hashes: { styles: string; script: string }
  sources: typeof sources
  conformance: typeof conformance
}

const kept = new WeakMap<Fetcher, Built>()

/** Once in an isolate. */
export async function readBuilt({ ASSETS, APP_URL }: Env): Promise<Built> {
  const known = kept.get(ASSETS)
  if (known) return known
  const answer = await ASSETS.fetch(new URL('/public/page.json', APP_URL))
  const built = await answer.json<Built>()
  kept.set(ASSETS, built)
  return built
}
