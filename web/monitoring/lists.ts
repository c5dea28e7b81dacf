import type { WatchedKind } from '../../worker/domain/names/watch-item'
import type { ItemKind, MonitoredItem } from '../../worker/monitoring/contract'

type List = {
  kind: WatchedKind
  one: string
  many: 'vendors' | 'products' | 'packages' | 'vulnerabilities'
  /** The address of one of them. */
  view: string
  hasVersions: boolean
}

export const lists: Record<ItemKind, List> = {
  vendors: { kind: 'vendor', one: 'vendor', many: 'vendors', view: '/vendor', hasVersions: false },
  products: { kind: 'product', one: 'product', many: 'products', view: '/product', hasVersions: true },
  packages: { kind: 'package', one: 'package', many: 'packages', view: '/packages', hasVersions: true },
  vulns: { kind: 'vuln', one: 'vulnerability', many: 'vulnerabilities', view: '/vulns', hasVersions: false },
}

export const itemLabel = ({ vendor, name }: Pick<MonitoredItem, 'vendor' | 'name'>) =>
  vendor === null ? name : `${vendor} · ${name}`
