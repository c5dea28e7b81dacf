import { hasFormOfId } from '../worker/domain/names/cve'
import { VulnQuery } from '../worker/vulns/contract'
import { deskQuery, latestQuery, newsQuery } from './home/api'
import { orgInfoQuery } from './layout/api'
import { ensure } from './lib/ensure'
import { readFilters } from './lib/filters'
import { readId } from './lib/id-param'
import type { Place } from './lib/place'
import { statsQuery } from './watchlist/api'
import { withColumns } from './vulns/list/list-look'
import { targetQuery, vulnQuery, vulnsQuery } from './vulns/api'
import { findDefaults } from './vulns/list/defaults'

/** Loads the data of a screen while its code loads; done when the data is there. */
export const start = (path: string, place: Place): Promise<unknown> =>
  Promise.all([ensure(orgInfoQuery), startScreen(path, place)])

async function startScreen(path: string, place: Place): Promise<unknown> {
  if (path === 'homepage') return startHome(place)
  if (path === 'vulns') return startList(place)
  if (path === 'vulns/:id') return startVuln(place.params.id)
  const { startOther } = await import('./start-others')
  return startOther(path, place)
}

function startHome({ search }: Place) {
  const group = new URLSearchParams(search).get('group') ?? undefined
  return Promise.all([ensure(deskQuery()), ensure(statsQuery), ensure(newsQuery), ensure(latestQuery(group))])
}

function startList({ search }: Place) {
  const params = new URLSearchParams(search)
  return ensure(vulnsQuery(withColumns(readFilters(VulnQuery, params, findDefaults(params)))))
}

async function startVuln(name = '') {
  const id = readId(name) ?? (hasFormOfId(name) ? await findVuln(name) : undefined)
  if (id !== undefined) await ensure(vulnQuery(id))
}

async function findVuln(name: string) {
  const target = await ensure(targetQuery(name))
  return target?.type === 'vuln' ? target.id : undefined
}
