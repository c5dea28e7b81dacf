import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { FoundVulnQuery, type FoundVuln } from '../../worker/inventories/finding-contract'
import { formatCount, plural } from '../lib/format'
import { useFilters } from '../lib/filters'
import { statusLabels } from '../lib/status-labels'
import { decisionWords } from '../lib/vex-words'
import { AppLink } from '../ui/app-link'
import type { Column } from '../ui/column'
import { EpssValue } from '../ui/epss-value'
import { Mark } from '../ui/mark'
import { PagedTable } from '../ui/paged-table'
import { RunVerdictMark } from '../ui/run-verdict-mark'
import { findingDueColumn, FindingFilters, findingScoreColumn, NamedVuln, NoFindings } from './finding-list'
import { inventoryVulnsQuery } from './api'
import { inventoryPath } from './open-counts'

type Sort = NonNullable<FoundVulnQuery['sorted_by']>
const shown = 4

const columnsFor = (name: string, status: FoundVulnQuery['status']): Column<FoundVuln, Sort>[] => [
  findingScoreColumn,
  {
    label: 'Vulnerability',
    sort: ['-cveid', 'cveid'],
    inCard: 'lead',
    cell: (row) => (
      <NamedVuln vuln={row}>
        {row.vuln_status !== 'undefined' && <Mark tone="calm">{statusLabels[row.vuln_status]}</Mark>}
      </NamedVuln>
    ),
  },
  {
    label: 'Worst verdict',
    width: 190,
    inCard: 'wide',
    cell: ({ verdict }) => <RunVerdictMark verdict={verdict} />,
  },
  {
    label: 'Components',
    sort: ['-components', 'components'],
    width: 280,
    inCard: 'wide',
    cell: ({ vuln_id, components_count, components }) => (
      <>
        <AppLink to={`${inventoryPath(name)}?tab=findings&vuln=${vuln_id}${status ? `&status=${status}` : ''}`}>
          {plural(components_count, 'component', 'components')}
        </AppLink>
        {components.slice(0, shown).map(({ component_id, component, version, fixed_in, decision }) => (
          <Text key={component_id} size="xs">
            {component} {version}
            {decision ? `, ${decisionWords[decision].toLowerCase()}` : fixed_in && `, fixed in ${fixed_in}`}
          </Text>
        ))}
        {components_count > shown && <Text size="xs">and {formatCount(components_count - shown)} more</Text>}
      </>
    ),
  },
  { label: 'EPSS', width: 80, sort: ['-epss', 'epss'], cell: ({ epss }) => <EpssValue epss={epss} /> },
  findingDueColumn,
]

export function VulnTab({ name }: { name: string }) {
  const [filters, setFilters] = useFilters(FoundVulnQuery)
  return (
    <>
      <FindingFilters filters={filters} label="Search vulnerabilities" onChange={setFilters} />
      <PagedTable
        of="vulnerabilities"
        found={useQuery(inventoryVulnsQuery(name, filters))}
        paging={filters}
        onChange={setFilters}
        columns={columnsFor(name, filters.status)}
        rowId={({ vuln_id }) => vuln_id}
        failed="Unable to get the vulnerabilities"
        empty={<NoFindings noun="vulnerability" filters={filters} />}
      />
    </>
  )
}
