import type { Inventory } from '../../worker/inventories/contract'
import { formatCount } from '../lib/format'
import classes from './inventories.module.css'

const bands = ['critical', 'high', 'medium', 'low', 'unscored'] as const

type Counted = Pick<Inventory, 'open' | 'unknown' | 'components_count' | NotCompared>
type NotCompared = 'unmatched_count' | 'uncompared_count' | 'pending_count'

export const countNotCompared = (inventory: Pick<Inventory, NotCompared>) =>
  inventory.unmatched_count + inventory.uncompared_count + inventory.pending_count

/** "None" is said of what was compared alone. */
function describeNone(inventory: Counted) {
  const { components_count, pending_count } = inventory
  const compared = components_count - countNotCompared(inventory)
  if (!components_count) return 'No components'
  if (pending_count) return `None yet: ${formatCount(pending_count)} are being compared`
  if (!compared) return 'Nothing could be compared'
  return compared < components_count ? `None among the ${formatCount(compared)} that could be compared` : 'None'
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
