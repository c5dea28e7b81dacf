import type { EnsureQueryDataOptions, QueryKey } from '@tanstack/react-query'
import type * as z from 'zod'
import { AlertQuery } from '../worker/alerts/contract'
import { reportKinds } from '../worker/domain/alerts/report-times'
import { ExploitQuery } from '../worker/exploits/contract'
import { InventoryQuery } from '../worker/inventories/contract'
import { BulletinQuery } from '../worker/kb/bulletins/contract'
import { ProductQuery, VendorQuery } from '../worker/kb/contract'
import { CveQuery } from '../worker/kb/cves/contract'
import { itemKinds, ItemQuery } from '../worker/monitoring/contract'
import { PackageQuery } from '../worker/packages/contract'
import { alertsQuery } from './alerts/api'
import { catalogDefaults, productQuery, productsQuery, vendorsQuery } from './catalog/api'
import { exploitsQuery } from './exploits/api'
import { inventoriesQuery, inventoryQuery, UpgradePaging, upgradesQuery } from './inventories/api'
import { bulletinQuery, bulletinsQuery } from './kb/bulletins/api'
import { cvesQuery } from './kb/cves/api'
import { mostFirst } from './kb/default-order'
import { packageQuery, packagesQuery } from './kb/packages/api'
import { vendorQuery } from './kb/vendors/api'
import { weaknessQuery } from './kb/weaknesses/api'
import { ensure } from './lib/ensure'
import { readFilters } from './lib/filters'
import { readId } from './lib/id-param'
import type { Place } from './lib/place'
import { itemDefaults, itemsQuery, monitoredStatsQuery } from './monitoring/api'
import { weightsQuery } from './ratings/api'
import { reportQuery, reportsQuery, sampleQuery } from './reports/api'
import { SearchFilters } from './search/filters'
import { isName } from '../worker/domain/query/asked-version'
import { namedQueries, searchQueries } from './search/queries'
import { targetQuery } from './vulns/api'

type Options<Data, Key extends QueryKey> = EnsureQueryDataOptions<Data, Error, Data, Key>

function ensureWithId<Data, Key extends QueryKey>({ params }: Place, query: (id: number) => Options<Data, Key>) {
  const id = readId(params.id)
  return id === undefined ? undefined : ensure(query(id))
}

const filtersFrom = <S extends z.ZodObject>({ search }: Place, schema: S, defaults: Partial<z.input<S>> = {}) =>
  readFilters(schema, new URLSearchParams(search), defaults)

const chosenTab = ({ search }: Place) => new URLSearchParams(search).get('tab')

const startProducts = (place: Place) =>
  ensure(productsQuery(mostFirst(filtersFrom(place, ProductQuery, catalogDefaults))))
const startVendors = (place: Place) => ensure(vendorsQuery(mostFirst(filtersFrom(place, VendorQuery, catalogDefaults))))

const screens = new Map<string, (place: Place) => unknown>([
  ['products', startProducts],
  ['vendors', (place) => (chosenTab(place) === 'products' ? startProducts(place) : startVendors(place))],
  ['packages', (place) => ensure(packagesQuery(filtersFrom(place, PackageQuery, catalogDefaults)))],
  ['product/:id', (place) => ensureWithId(place, productQuery)],
  ['vendor/:id', (place) => ensureWithId(place, vendorQuery)],
  ['packages/:id', (place) => ensureWithId(place, packageQuery)],
  ['kb/bulletins', (place) => ensure(bulletinsQuery(filtersFrom(place, BulletinQuery)))],
  ['kb/bulletins/:id', (place) => ensureWithId(place, bulletinQuery)],
  ['kb/cwe/:id', (place) => ensureWithId(place, weaknessQuery)],
  ['kb/cves', (place) => ensure(cvesQuery(filtersFrom(place, CveQuery)))],
  [
    'alerts',
    (place) => (chosenTab(place) === 'proof' ? undefined : ensure(alertsQuery(filtersFrom(place, AlertQuery)))),
  ],
  ['reports', () => ensure(reportsQuery)],
  ['reports/sample', () => ensure(sampleQuery)],
  ['reports/:schedule/:day', startReport],
  ['ratings', () => ensure(weightsQuery)],
  ['exploits', (place) => ensure(exploitsQuery(filtersFrom(place, ExploitQuery)))],
  ['search/:term', startSearch],
  ['monitoring', startMonitoring],
  ['monitoring/inventories', (place) => ensure(inventoriesQuery(filtersFrom(place, InventoryQuery)))],
  ['monitoring/inventories/:name', startInventory],
])

export const startOther = (path: string, place: Place) => screens.get(path)?.(place)

function startReport({ params: { schedule, day = '' }, search }: Place) {
  const kind = reportKinds.find((one) => one === schedule)
  const query = new URLSearchParams(search)
  const org_id = Number(query.get('org')) || undefined
  return kind && ensure(reportQuery({ schedule: kind, day, page: Number(query.get('page') ?? 1), org_id }))
}

function startSearch(place: Place) {
  const { term = '' } = place.params
  if (isName(term)) return ensure(targetQuery(term))
  const { vulns, exploits, threats, advisories, tools } = searchQueries(term, filtersFrom(place, SearchFilters))
  const named = namedQueries(term)
  return Promise.all([
    ensure(vulns),
    ensure(exploits),
    ensure(threats),
    ensure(advisories),
    ensure(tools),
    ensure(named.vendors),
    ensure(named.products),
  ])
}

function startMonitoring(place: Place) {
  const tab = chosenTab(place) ?? 'vendors'
  const list = itemKinds.find((one) => one === tab)
  return Promise.all([
    ensure(monitoredStatsQuery),
    list && ensure(itemsQuery(list, filtersFrom(place, ItemQuery, itemDefaults))),
  ])
}

function startInventory(place: Place) {
  const { name = '' } = place.params
  return Promise.all([
    ensure(inventoryQuery(name)),
    chosenTab(place) ? undefined : ensure(upgradesQuery(name, filtersFrom(place, UpgradePaging))),
  ])
}
