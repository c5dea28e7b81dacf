import type { WatchedKind } from '../../worker/domain/names/watch-item'
import type { ItemKind, MonitoredItem } from '../../worker/monitoring/contract'

type List = {
  kind: WatchedKind
  one: string
  many: 'vendors' | 'products' | 'packages' | 'vulnerabilities'
  /** The address where people find more of them. */
  add: string
  /** The address of one of them. */
  view: string
  hasVersions: boolean
}

export const lists: Record<ItemKind, List> = {
  vendors: { kind: 'vendor', one: 'vendor', many: 'vendors', add: '/vendors', view: '/vendor', hasVersions: false },
  products: {
    kind: 'product',
    one: 'product',
    many: 'products',
    add: '/products',
    view: '/product',
    hasVersions: true,
  },
  packages: {
    kind: 'package',
    one: 'package',
    many: 'packages',
    add: '/packages',
    view: '/packages',
    hasVersions: true,
  },
  vulns: {
    kind: 'vuln',
    one: 'vulnerability',
    many: 'vulnerabilities',
    add: '/vulns',
    view: '/vulns',
    hasVersions: false,
  },
}

export const itemLabel = ({ vendor, name }: Pick<MonitoredItem, 'vendor' | 'name'>) =>
  vendor === null ? name : `${vendor} · ${name}`
