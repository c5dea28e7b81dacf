import { NativeSelect, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CraClockQuery } from '../../worker/cra/contract'
import { notLegalAdvice } from '../../worker/domain/decisions/cra'
import { useFilters } from '../lib/filters'
import { AppLink } from '../ui/app-link'
import { EmptyState } from '../ui/empty-state'
import { Page } from '../ui/page'
import { PagedTable } from '../ui/paged-table'
import { craClocksQuery } from './api'
import { clockColumns } from './clock-columns'

const states = [
  { value: 'open', label: 'Open' },
  { value: 'done', label: 'Done' },
]

export function ClockListPage() {
  const [filters, setFilters] = useFilters(CraClockQuery)
  return (
    <Page title="CRA clocks">
      <Text size="sm" c="dimmed">
        Exploited vulnerabilities in what you make, and when the Cyber Resilience Act asks for an early warning (24
        hours), a notification (72 hours) and a final report (14 days after a fix). {notLegalAdvice}
      </Text>
      <NativeSelect
        label="State"
        maw={200}
        data={states}
        value={filters.state}
        onChange={({ currentTarget: { value } }) => setFilters({ state: value === 'done' ? 'done' : 'open' })}
      />
      <PagedTable
        of="CRA clocks"
        found={useQuery(craClocksQuery(filters))}
        paging={filters}
        onChange={setFilters}
        columns={clockColumns}
        rowId={({ vuln_id }) => vuln_id}
        failed="Unable to get the CRA clocks"
        empty={<Nothing isOpen={filters.state === 'open'} />}
      />
    </Page>
  )
}

const Nothing = ({ isOpen }: { isOpen: boolean }) => (
  <EmptyState
    title={isOpen ? 'No clock runs' : 'No clock is done'}
    text="A clock starts within a minute when a catalogue calls a vulnerability exploited and it is or may be in an inventory of which you say that you make it."
  >
    <AppLink to="/monitoring/inventories">Your inventories</AppLink>
  </EmptyState>
)
