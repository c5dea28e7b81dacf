import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { itemName } from '../../../worker/domain/names/product'
import { AppLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import { HelpLink } from '../../ui/help-link'
import { ProductLabel } from '../../ui/product-name'
import { RunVersionList } from './verdicts'
import classes from '../vuln-detail.module.css'

export function MonitoredByCard({ vuln: { monitored, monitored_by, uncompared, runs } }: { vuln: VulnDetail }) {
  if (!monitored && !runs.length && !uncompared.length) return null
  return (
    <Card title="Why it concerns you" aside={<HelpLink topic="monitoring" about="what is monitored" />}>
      <ul className={classes.reasons}>
        {monitored_by.map(({ via, id, name, vendor }) => (
          <li key={`${via} ${id}`}>
            {via === 'inventory' && (
              <>
                Your inventory <InventoryLink name={name} /> contains a version that is or may be affected.
              </>
            )}
            {via === 'vuln' && 'You monitor this vulnerability.'}
            {via === 'vendor' && (
              <>
                You monitor the vendor <ProductLabel name={name} />.
              </>
            )}
            {via === 'package' && (
              <>
                You monitor the package <AppLink to={`/packages/${id}`}>{itemName({ via, vendor, name })}</AppLink>.
              </>
            )}
            {via === 'product' && (
              <>
                You monitor the product{' '}
                <AppLink to={`/product/${id}`}>
                  <ProductLabel vendor={vendor ?? ''} name={name} />
                </AppLink>
                .
              </>
            )}
          </li>
        ))}
        {uncompared.map((item) => (
          <li key={`${item.via} ${item.id}, not compared`}>
            {item.via === 'inventory' ? (
              <>
                Your inventory <InventoryLink name={item.name} /> contains a version that is not compared
                {item.is_pending && ' yet'}.
              </>
            ) : (
              `Your versions of ${itemName(item)} are not compared yet.`
            )}
          </li>
        ))}
      </ul>
      {runs.length > 0 && <RunVersionList runs={runs} />}
    </Card>
  )
}

const InventoryLink = ({ name }: { name: string }) => (
  <AppLink to={`/monitoring/inventories/${encodeURIComponent(name)}`}>{name}</AppLink>
)
