import { is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as alerts from './alerts'
import * as auth from './auth'
import * as bulletins from './bulletins'
import * as census from './census'
import * as claims from './claims'
import * as counters from './counters'
import * as cra from './cra'
import * as decisions from './decisions'
import * as exploits from './exploits'
import * as feeds from './feeds'
import * as inventories from './inventories'
import * as jobs from './jobs'
import * as kb from './kb'
import * as keys from './keys'
import * as lifecycles from './lifecycles'
import * as links from './links'
import * as mail from './mail'
import * as orgs from './orgs'
import * as reports from './reports'
import * as taxonomy from './taxonomy'
import * as triage from './triage'
import * as views from './views'
import * as vulns from './vulns'
import * as watchlist from './watchlist'

const files = [
  alerts,
  auth,
  bulletins,
  census,
  claims,
  counters,
  cra,
  decisions,
  exploits,
  feeds,
  inventories,
  jobs,
  kb,
  keys,
  lifecycles,
  links,
  mail,
  orgs,
  reports,
  taxonomy,
  triage,
  views,
  vulns,
  watchlist,
]

export const allTables = files.flatMap((file) => Object.values<unknown>(file).filter((value) => is(value, SQLiteTable)))
