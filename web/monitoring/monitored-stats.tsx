import { useQuery } from '@tanstack/react-query'
import { CountCard, CountCards, CountPart } from '../ui/count-card'
import { FailedState } from '../ui/failed-state'
import { monitoredStatsQuery } from './api'

export function MonitoredStats() {
  const { data, error, refetch } = useQuery(monitoredStatsQuery)
  const vulns = '/vulns?monitored=true'
  if (error && !data) return <FailedState title="Unable to get stats." error={error} onRetry={() => void refetch()} />
  return (
    <CountCards>
      <CountCard title="Vulnerabilities that concern you" count={data?.vulns.count} to={vulns}>
        <CountPart
          one="exploitable"
          many="exploitable"
          count={data?.vulns.exploitable}
          to={`${vulns}&is_exploitable=true`}
        />
        <CountPart one="remote" many="remote" count={data?.vulns.remote} to={`${vulns}&access_vector=NETWORK`} />
      </CountCard>
      <CountCard title="Their metadata" count={data?.metadata.count}>
        <CountPart one="exploit" many="exploits" count={data?.metadata.exploits} to="/exploits?monitored=true" />
        <CountPart one="threat" many="threats" count={data?.metadata.threats} to="/threats?monitored=true" />
      </CountCard>
      <CountCard title="Monitored items" count={data?.monitored.count} to="/monitoring">
        <CountPart one="vendor" many="vendors" count={data?.monitored.vendors} to="/monitoring" />
        <CountPart one="product" many="products" count={data?.monitored.products} to="/monitoring?tab=products" />
        <CountPart one="package" many="packages" count={data?.monitored.packages} to="/monitoring?tab=packages" />
        <CountPart
          one="vulnerability"
          many="vulnerabilities"
          count={data?.monitored.vulnerabilities}
          to="/monitoring?tab=vulns"
        />
      </CountCard>
    </CountCards>
  )
}
