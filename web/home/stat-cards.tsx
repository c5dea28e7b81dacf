import type * as z from 'zod'
import type { vulnStats } from '../../worker/home/contract'
import { CountCard, CountCards, CountPart } from '../ui/count-card'

export const StatCards = ({ stats }: { stats: z.output<typeof vulnStats.reply> | undefined }) => (
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
      <CountPart one="exploit" count={stats?.exploits} to="/exploits" />
      <CountPart one="threat" count={stats?.threats} to="/threats" />
    </CountCard>
    <CountCard title="Monitored items" count={stats?.monitored} to="/monitoring">
      <CountPart one="vendor" count={stats?.monitored_vendors} to="/monitoring" />
      <CountPart one="product" count={stats?.monitored_products} to="/monitoring?tab=products" />
      <CountPart one="package" count={stats?.monitored_packages} to="/monitoring?tab=packages" />
      <CountPart one="vulnerability" many="vulnerabilities" count={stats?.monitored_vulns} to="/monitoring?tab=vulns" />
      <CountPart one="inventory" many="inventories" count={stats?.monitored_inventories} to="/monitoring/inventories" />
    </CountCard>
  </CountCards>
)
