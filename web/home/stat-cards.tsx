import { CountCard, CountCards, CountPart } from '../ui/count-card'

type Stats = {
  vulns: number
  vulns_exploitable: number
  vulns_remote: number
  exploits: number
  threats: number
  monitored: number
  monitored_vendors: number
  monitored_products: number
  monitored_packages: number
  monitored_vulns: number
  monitored_inventories: number
}

export function StatCards({ stats }: { stats: Stats | undefined }) {
  return (
    <CountCards>
      <CountCard title="Vulnerabilities" count={stats?.vulns} to="/vulns">
        <CountPart
          one="exploitable"
          many="exploitable"
          count={stats?.vulns_exploitable}
          to="/vulns?is_exploitable=true"
        />
        <CountPart one="remote" many="remote" count={stats?.vulns_remote} to="/vulns?access_vector=NETWORK" />
      </CountCard>
      {/* Each of the two has a list, their sum has none. */}
      <CountCard title="Metadata" count={stats && stats.exploits + stats.threats}>
        <CountPart one="exploit" many="exploits" count={stats?.exploits} to="/exploits" />
        <CountPart one="threat" many="threats" count={stats?.threats} to="/threats" />
      </CountCard>
      <CountCard title="Monitored items" count={stats?.monitored} to="/monitoring">
        <CountPart one="vendor" many="vendors" count={stats?.monitored_vendors} to="/monitoring" />
        <CountPart one="product" many="products" count={stats?.monitored_products} to="/monitoring?tab=products" />
        <CountPart one="package" many="packages" count={stats?.monitored_packages} to="/monitoring?tab=packages" />
        <CountPart
          one="vulnerability"
          many="vulnerabilities"
          count={stats?.monitored_vulns}
          to="/monitoring?tab=vulns"
        />
        <CountPart
          one="inventory"
          many="inventories"
          count={stats?.monitored_inventories}
          to="/monitoring/inventories"
        />
      </CountCard>
    </CountCards>
  )
}
