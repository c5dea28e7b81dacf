import type { Env } from '../../env'
import { attack } from '../taxonomy/attack'
import { capec } from '../taxonomy/capec'
import { feedIds } from '../contract'
import { csaf } from '../csaf/csaf'
import { cve } from '../cve5/cve5'
import { cwe } from '../taxonomy/cwe'
import { epss } from '../signals/epss'
import { exploitdb } from '../exploits/exploitdb'
import type { Feed, StepEnd, StepRun } from '../source/feed'
import { ghsa } from '../osv/ghsa'
import { kev } from '../signals/kev'
import { metasploit } from '../exploits/metasploit'
import { nuclei } from '../exploits/nuclei'
import { nvd } from '../nvd/nvd'
import { osv } from '../osv/osv'
import { overrides } from '../nvd/overrides'
import { poc } from '../exploits/poc'
import { redhat } from '../redhat/redhat'
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
