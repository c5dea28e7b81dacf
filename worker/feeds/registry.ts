import type { Env } from '../env'
import { attack } from './attack'
import { capec } from './capec'
import { feedIds } from './contract'
import { csaf } from './csaf'
import { cve } from './cve5'
import { cwe } from './cwe'
import { epss } from './epss'
import { exploitdb } from './exploitdb'
import type { Feed, StepEnd, StepRun } from './feed'
import { ghsa } from './ghsa'
import { kev } from './kev'
import { metasploit } from './metasploit'
import { nuclei } from './nuclei'
import { nvd } from './nvd'
import { osv } from './osv'
import { overrides } from './overrides'
import { poc } from './poc'
import { redhat } from './redhat'
import { remerge } from './remerge'

export type FeedId = (typeof feedIds)[number]

/** A feed whose cursor is read from what is stored; one that cannot be read any more starts from the beginning. */
function registered<Cursor>(feed: Feed<Cursor>) {
  const { name, every_minutes } = feed
  return {
    name,
    every_minutes,
    origin: (env: Env) => feed.origin(env),
    step: (run: StepRun<unknown>, stored: unknown): Promise<StepEnd<unknown>> =>
      feed.step(run, feed.cursor.safeParse(stored).data ?? null),
  }
}

export const feedsById = {
  cve: registered(cve),
  nvd: registered(nvd),
  kev: registered(kev),
  epss: registered(epss),
  osv: registered(osv),
  ghsa: registered(ghsa),
  redhat: registered(redhat),
  overrides: registered(overrides),
  exploitdb: registered(exploitdb),
  metasploit: registered(metasploit),
  poc: registered(poc),
  nuclei: registered(nuclei),
  cwe: registered(cwe),
  capec: registered(capec),
  attack: registered(attack),
  csaf: registered(csaf),
  remerge: registered(remerge),
} satisfies Record<FeedId, unknown>

/** The feeds that have an origin. */
export const feedsOn = (env: Env) => feedIds.filter((id) => feedsById[id].origin(env))

/** Those that run by the clock. */
export const scheduledFeeds = (env: Env) => feedsOn(env).filter((id) => feedsById[id].every_minutes !== null)
