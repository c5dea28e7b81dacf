import type { Inventory } from '../../worker/inventories/contract'
import { formatCount } from '../lib/format'
import classes from './inventories.module.css'

const bands = ['critical', 'high', 'medium', 'low', 'unscored'] as const

export function OpenCounts({ inventory }: { inventory: Pick<Inventory, 'open' | 'unknown'> }) {
  const { open, unknown } = inventory
  const found = bands.filter((band) => open[band] > 0)
  if (!found.length && !unknown) return <span>None known</span>
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
