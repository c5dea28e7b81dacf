import { Text } from '@mantine/core'
import { itemName } from '../../../worker/domain/names/product'
import { joinSome } from '../../../worker/domain/words/short-lists'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { WatchToggle } from '../../watchlist/watch-toggle'
import classes from '../vuln-detail.module.css'

const words = ['Monitored', 'Not monitored'] as const

/** A vulnerability that is monitored through a product or a vendor can only be switched off there. */
export function VulnToggle({ vuln }: { vuln: VulnDetail }) {
  const { id, monitored, monitored_by } = vuln
  const isIndirect = monitored && monitored_by.length > 0 && monitored_by.every(({ via }) => via !== 'vuln')
  return (
    <div className={classes.toggle}>
      {isIndirect && (
        <Text size="xs" c="dimmed" truncate title={`through ${describe(monitored_by)}`}>
          through {describe(monitored_by)}
        </Text>
      )}
      <WatchToggle kind="vuln" item={vuln} words={words} name={`PH-${id}`} isDisabled={isIndirect} />
    </div>
  )
}

const shownNames = 3

const describe = (monitored_by: VulnDetail['monitored_by']) => joinSome(monitored_by.map(itemName), shownNames)
