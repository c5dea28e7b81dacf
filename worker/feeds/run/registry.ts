import type { Env } from '../../env'
import { csaf } from '../csaf/csaf'
import { cve } from '../cve5/cve5'
import { exploitLists } from '../exploits/exploit-lists'
import { nvd } from '../nvd/nvd'
import { overrides } from '../nvd/overrides'
import { ghsa } from '../osv/ghsa'
import { malicious, osv } from '../osv/osv'
import { redhat } from '../redhat/redhat'
import { epss } from '../signals/epss'
import { eukev } from '../signals/eukev'
import { gcve } from '../signals/gcve'
import { kev } from '../signals/kev'
import { vexhub } from '../signals/vexhub'
import { vulncheck } from '../signals/vulncheck'
import type { Feed } from '../source/feed'
import { attack } from '../taxonomy/attack'
import { capec } from '../taxonomy/capec'
import { cwe } from '../taxonomy/cwe'
import { endoflife } from '../taxonomy/endoflife'
import { remerge } from './remerge'

export const registeredFeeds: Feed[] = [
  cve,
  nvd,
  kev,
  eukev,
  gcve,
  vulncheck,
  epss,
  osv,
  malicious,
  ghsa,
  redhat,
  overrides,
  ...exploitLists,
  cwe,
  capec,
  attack,
  endoflife,
  vexhub,
  csaf,
  remerge,
]

export const findFeed = (id: string) => registeredFeeds.find((feed) => feed.id === id)

export const feedsOn = (env: Env) => registeredFeeds.filter((feed) => feed.originIn(env))

export const scheduledFeeds = (env: Env) => feedsOn(env).filter(({ every_minutes }) => every_minutes !== null)
