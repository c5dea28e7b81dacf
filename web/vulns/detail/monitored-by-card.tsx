import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { itemName } from '../../../worker/domain/names/product'
import { AppLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import { HelpLink } from '../../ui/help-link'
import { ProductLabel } from '../../ui/product-name'
import { RunVersionList } from './run-versions'
import classes from '../vuln-detail.module.css'

export function MonitoredByCard({ vuln: { monitored, monitored_by, runs } }: { vuln: VulnDetail }) {
  if (!monitored && !runs.length) return null
  return (
    <Card title="Why it concerns you" aside={<HelpLink topic="monitoring" about="what is monitored" />}>
      <ul className={classes.reasons}>
        {monitored_by.map(({ via, id, name, vendor }) => (
          <li key={`${via} ${id}`}>
            {via === 'inventory' && (
              <>
                Your inventory <AppLink to={`/monitoring/inventories/${encodeURIComponent(name)}`}>{name}</AppLink>{' '}
                contains a version that is or may be affected.
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
      </ul>
      {runs.length > 0 && <RunVersionList runs={runs} />}
    </Card>
  )
}
