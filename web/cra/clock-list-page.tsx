import { NativeSelect, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CraClockQuery } from '../../worker/cra/contract'
import { notLegalAdvice } from '../../worker/domain/decisions/cra'
import { useFilters } from '../lib/filters'
import { AppLink } from '../ui/app-link'
import { listingFrom } from '../ui/column'
import { DataTable } from '../ui/data-table'
import { EmptyState } from '../ui/empty-state'
import { Page } from '../ui/page'
import { Pager } from '../ui/pager'
import { craClocksQuery } from './api'
import { clockColumns } from './clock-columns'

const states = [
  { value: 'open', label: 'Open' },
  { value: 'done', label: 'Done' },
]

export function ClockListPage() {
  const [filters, setFilters] = useFilters(CraClockQuery)
  const clocks = useQuery(craClocksQuery(filters))
  const data = clocks.data && {
    ...clocks.data,
    results: clocks.data.results.map((row) => ({ ...row, id: row.vuln_id })),
  }
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
      <DataTable
        label="CRA clocks"
        columns={clockColumns}
        listing={listingFrom({ ...clocks, data })}
        expected={filters.limit}
        failed="Unable to get the CRA clocks"
        sort={filters.sorted_by}
        onSort={(sorted_by) => setFilters({ sorted_by })}
        empty={<Nothing isOpen={filters.state === 'open'} />}
      />
      <Pager of="CRA clocks" paging={filters} found={clocks.data} onChange={setFilters} />
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
