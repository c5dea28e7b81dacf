import { Group } from '@mantine/core'
import type { Inventory } from '../../worker/inventories/contract'
import { formatCount } from '../lib/format'
import { AppLink } from '../ui/app-link'
import { KevMark } from '../ui/kev-mark'
import classes from './inventories.module.css'

export const inventoryPath = (name: string) => `/monitoring/inventories/${encodeURIComponent(name)}`

const bands = ['critical', 'high', 'medium', 'low', 'unscored'] as const

type NotCompared = 'unmatched_count' | 'uncompared_count' | 'pending_count'

export const countNotCompared = (inventory: Pick<Inventory, NotCompared>) =>
  inventory.unmatched_count + inventory.uncompared_count + inventory.pending_count

type Counted = Compared & Pick<Inventory, 'open' | 'unknown'>
type Compared = Pick<Inventory, 'components_count' | NotCompared>
const countCompared = (inventory: Compared) => inventory.components_count - countNotCompared(inventory)

/** "None" is said of what was compared alone. */
function describeNone(inventory: Counted) {
  const { components_count, pending_count } = inventory
  const compared = countCompared(inventory)
  if (!components_count) return 'No components'
  if (pending_count)
    return `None yet: ${formatCount(pending_count)} ${pending_count === 1 ? 'is' : 'are'} being compared`
  if (!compared) return 'Nothing could be compared'
  return compared < components_count ? `None among the ${formatCount(compared)} that could be compared` : 'None'
}

function describeNoKev(inventory: Compared) {
  if (inventory.pending_count) return 'None yet'
  const compared = countCompared(inventory)
  if (compared === inventory.components_count) return '0'
  return compared ? 'None known' : 'Not known'
}

/** Exploited ones that affect, and those that may; "0" is said where all could be compared. */
export function KevCounts({ inventory }: { inventory: Compared & Pick<Inventory, 'name' | 'kev' | 'kev_unknown'> }) {
  const { name, kev, kev_unknown } = inventory
  const to = (status: string) => `${inventoryPath(name)}?tab=findings&kev=true&status=${status}`
  if (!kev && !kev_unknown) return <span>{describeNoKev(inventory)}</span>
  return (
    <Group gap={6}>
      <AppLink to={to('affected')}>{formatCount(kev)}</AppLink>
      {kev > 0 && <KevMark />}
      {kev_unknown > 0 && (
        <AppLink to={to('unknown')} size="xs">
          {formatCount(kev_unknown)} unknown
        </AppLink>
      )}
    </Group>
  )
}

export function OpenCounts({ inventory }: { inventory: Counted }) {
  const { open, unknown } = inventory
  const found = bands.filter((band) => open[band] > 0)
  if (!found.length && !unknown) return <span>{describeNone(inventory)}</span>
  return (
    <span className={classes.counts}>
      {found.map((band) => (
        <span key={band} className={classes.count} data-band={band}>
          {formatCount(open[band])} {band}
        </span>
      ))}
      {unknown > 0 && <span className={classes.count}>{formatCount(unknown)} unknown</span>}
    </span>
  )
}

export const DependencyPath = ({ path }: { path: string[] }) =>
  path.length ? <div className={classes.path}>Needed by {path.join(' › ')}</div> : null
