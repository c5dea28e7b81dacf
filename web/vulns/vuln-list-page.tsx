import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { VulnQuery } from '../../worker/vulns/contract'
import { useFilters } from '../lib/filters'
import { Page } from '../ui/page'
import { SearchField } from '../ui/search-field'
import { vulnsQuery } from './api'
import { ExtraFilters } from './extra-filters'
import { QuickChips } from './quick-chips'
import { ScoreRange } from './score-range'
import { VulnPages } from './vuln-pages'

const defaults = { limit: 10 }

export function VulnListPage() {
  const [filters, setFilters] = useFilters(VulnQuery, defaults)
  const vulns = useQuery(vulnsQuery(filters))
  return (
    <Page title="Vulnerabilities">
      <Group gap="md" justify="space-between">
        <QuickChips filters={filters} onChange={setFilters} />
        <Group gap="lg">
          <ScoreRange filters={filters} onChange={(range) => setFilters(range, { replace: true })} />
          <SearchField
            label="Search vulnerabilities"
            value={filters.search}
            onChange={(search) => setFilters({ search }, { replace: true })}
          />
        </Group>
      </Group>
      <ExtraFilters filters={filters} onChange={setFilters} />
      <VulnPages vulns={vulns} filters={filters} onChange={setFilters} />
    </Page>
  )
}
