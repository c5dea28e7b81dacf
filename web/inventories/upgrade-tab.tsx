import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { unstatedFix } from '../../worker/domain/decisions/decision'
import type { Upgrade } from '../../worker/inventories/upgrade-contract'
import { formatCount, plural, nameVuln } from '../lib/format'
import { PagingQuery, useFilters } from '../lib/filters'
import { AppLink, VulnLink } from '../ui/app-link'
import type { Column } from '../ui/column'
import { EmptyState } from '../ui/empty-state'
import { Mark } from '../ui/mark'
import { PagedTable } from '../ui/paged-table'
import { SupportAdvice } from '../ui/support-mark'
import { upgradesQuery } from './api'
import { DependencyPath, inventoryPath } from './open-counts'

const shown = 5

const nameAll = (vulns: Upgrade['because']) => vulns.map(({ id, cveid }) => nameVuln(id, cveid))

const affectedPath = (name: string, component_id: number, more: string) =>
  `${inventoryPath(name)}?tab=findings&status=affected&component=${component_id}${more}`

const columnsFor = (name: string): Column<Upgrade>[] => [
  {
    label: 'Upgrade',
    inCard: 'lead',
    cell: ({ component, version, to, path, chosen, because, still, support }) => (
      <>
        <Text fw={600}>{to === null ? component : `${component} to ${to}`}</Text>
        <Text size="sm">{version ? `now ${version}` : 'its version is not known'}</Text>
        {because.length > 0 && <Text size="sm">because of {nameAll(because).join(' and ')}</Text>}
        {still.length > 0 && <Text size="sm">still named as affected by {nameAll(still).join(', ')}</Text>}
        {support && <SupportAdvice {...support} />}
        {chosen && <Text size="sm">You chose {chosen}</Text>}
        <DependencyPath path={path} />
      </>
    ),
  },
  {
    label: 'Closes',
    inCard: 'wide',
    cell: (row) => <ClosedVulns name={name} row={row} />,
  },
  {
    label: 'Exploited',
    width: 110,
    cell: ({ kev, unfixed }) => (kev || unfixed.kev ? <Mark tone="alarm">Exploited</Mark> : 'Not known'),
  },
  {
    label: 'Risk',
    width: 90,
    cell: ({ risk }) => (
      <span
        title={
          risk ? 'EPSS × score of what it closes, or of what stays open' : 'Nothing of it has both EPSS and a score'
        }
      >
        {risk ? Number(risk < 10 ? risk.toPrecision(2) : risk.toFixed()) : 'n/a'}
      </span>
    ),
  },
]

function ClosedVulns({ name, row: { component_id, to, closes, unfixed, vulns } }: { name: string; row: Upgrade }) {
  return (
    <>
      {closes > 0 && (
        <AppLink size="sm" to={affectedPath(name, component_id, '&fix=true')}>
          {plural(closes, 'vulnerability', 'vulnerabilities')}
        </AppLink>
      )}
      {vulns.slice(0, shown).map(({ id, cveid, fixed_in, first_unlisted }) => (
        <Text key={id} size="xs">
          <VulnLink id={id} cveid={cveid} /> (
          {fixed_in === null ? `${unstatedFix}: ${first_unlisted}` : `fixed in ${fixed_in}`})
        </Text>
      ))}
      {closes > shown && <Text size="xs">and {formatCount(closes - shown)} more</Text>}
      {unfixed.count > 0 && (
        <Text size="sm">
          {to === null ? 'No version is known to close' : 'No fix is named for'}{' '}
          <AppLink to={affectedPath(name, component_id, to === null ? '' : '&fix=false')}>
            {plural(unfixed.count, 'vulnerability', 'vulnerabilities')}
          </AppLink>
        </Text>
      )}
    </>
  )
}

export function UpgradeTab({ name }: { name: string }) {
  const [paging, setPaging] = useFilters(PagingQuery)
  return (
    <>
      <Text size="sm">
        The upgrades that remove most risk come first: known exploitation, then EPSS × score. The version is the lowest
        that closes everything for which a source names a fix or where its list ends, and that no exploited
        vulnerability affects; those that do all the same are named. A component for which no source names one stands
        here without: it needs other measures.
      </Text>
      <PagedTable
        of="upgrades"
        found={useQuery(upgradesQuery(name, paging))}
        paging={paging}
        onChange={setPaging}
        columns={columnsFor(name)}
        rowId={({ component_id }) => component_id}
        expected={5}
        failed="Unable to get the upgrades"
        empty={
          <EmptyState
            title="No upgrade to name"
            text="No open finding is known to affect a component. Those that are not compared may be affected."
          />
        }
      />
    </>
  )
}
