import type { BulletinDetail } from '../../../worker/kb/bulletins/contract'
import { AppLink, OutLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import { Fact, Facts } from '../../ui/facts'
import { Timestamp } from '../../ui/timestamp'
import { BulletinSeverity } from './bulletin-severity'

const categories: Record<string, string> = {
  csaf_security_advisory: 'Security advisory',
  csaf_vex: 'VEX',
  csaf_informational_advisory: 'Informational advisory',
  csaf_security_incident_response: 'Security incident response',
}

export function BulletinAbout({ bulletin }: { bulletin: BulletinDetail }) {
  const { publicid, vendor, severity, published, modified, link, body } = bulletin
  return (
    <Card title="Bulletin">
      <Facts>
        <Fact label="ID">{publicid}</Fact>
        <Fact label="Vendor">
          <AppLink to={`/kb/bulletins?${new URLSearchParams({ vendor })}`}>{vendor}</AppLink>
        </Fact>
        <Fact label="Severity">
          <BulletinSeverity severity={severity} />
        </Fact>
        <Fact label="Published">
          <Timestamp at={published} />
        </Fact>
        <Fact label="Modified">
          <Timestamp at={modified} />
        </Fact>
        <Fact label="Kind">{categories[body.category] ?? body.category}</Fact>
        <Fact label="Publisher">{body.publisher}</Fact>
        <Fact label="Version">
          {body.version} ({body.status})
        </Fact>
        <Fact label="Source">
          <OutLink href={link}>Open it at the publisher</OutLink>
        </Fact>
        {body.acknowledgments.length > 0 && <Fact label="Thanks to">{body.acknowledgments.join('; ')}</Fact>}
      </Facts>
    </Card>
  )
}
