import { Group, NativeSelect, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ComponentQuery, type ComponentRow } from '../../worker/inventories/finding-contract'
import { formatCount } from '../lib/format'
import { useFilters } from '../lib/filters'
import { AppLink } from '../ui/app-link'
import type { Column } from '../ui/column'
import { EmptyState } from '../ui/empty-state'
import { KevMark } from '../ui/kev-mark'
import { PagedTable } from '../ui/paged-table'
import { ScoreBadge } from '../ui/score-badge'
import { ListHead } from '../ui/search-field'
import { componentsQuery } from './api'
import { DependencyPath, inventoryPath } from './open-counts'
import { SupportMark, SupportSelect } from '../ui/support-mark'
import classes from './inventories.module.css'

type Sort = NonNullable<ComponentQuery['sorted_by']>

function columnsFor(name: string): Column<ComponentRow, Sort>[] {
  return [
    {
      label: 'Component',
      sort: ['name', '-name'],
      inCard: 'lead',
      cell: (row) => (
        <>
          <Text size="sm" fw={600}>
            {row.name} {row.version}
          </Text>
          <div className={classes.path}>{row.purl ?? row.cpe ?? 'No purl and no CPE name'}</div>
          {row.support && <SupportMark {...row.support.release} />}
          <DependencyPath path={row.path} />
        </>
      ),
    },
    {
      label: 'Findings',
      sort: ['-findings', 'findings'],
      inCard: 'wide',
      cell: (row) => <Found row={row} to={`${inventoryPath(name)}?tab=findings&component=${row.id}`} />,
    },
    {
      label: 'Worst',
      width: 150,
      sort: ['-risk', 'risk'],
      cell: ({ open, worst_score, is_worst_provisional, kev }) =>
        open > 0 && (
          <Group gap={6}>
            <ScoreBadge of={{ score: worst_score, is_score_provisional: is_worst_provisional }} />
            {kev && <KevMark />}
          </Group>
        ),
    },
    { label: 'Scope', width: 100, sort: ['scope', '-scope'], cell: ({ scope }) => scope },
    { label: 'Licence', width: 140, cell: ({ licence }) => licence ?? 'n/a' },
  ]
}

function Found({ row, to }: { row: ComponentRow; to: string }) {
  const { verdict, version, is_matched, open, unknown, judged_count, unjudged_count } = row
  if (verdict === 'pending') return <span>Not compared yet: it may be affected</span>
  if (!is_matched) return <span>Not matched: nothing is known about it</span>
  const parts = [open && `${formatCount(open)} affected`, unknown && `${formatCount(unknown)} unknown`].filter(Boolean)
  return (
    <>
      {parts.length > 0 ? (
        <AppLink to={to}>{parts.join(', ')}</AppLink>
      ) : (
        <span>{verdict === 'none' ? 'None' : 'Cannot be told'}</span>
      )}
      <Text size="xs" c="dimmed">
        {unjudged_count > 0
          ? `${formatCount(unjudged_count)} may apply: ${version === null ? 'its version is not known' : 'the organization has too many findings to compare more'}`
          : `${formatCount(judged_count)} compared with its version`}
      </Text>
    </>
  )
}

export function ComponentTab({ name }: { name: string }) {
  const [filters, setFilters] = useFilters(ComponentQuery)
  const shown = filters.affected
    ? 'affected'
    : filters.matched === false
      ? 'unmatched'
      : filters.compared === false
        ? 'uncompared'
        : ''
  return (
    <>
      <ListHead label="Search components" search={filters.search} onChange={setFilters} align="end">
        <Group gap="md">
          <NativeSelect
            label="Show"
            value={shown}
            data={[
              { value: '', label: 'All components' },
              { value: 'affected', label: 'Affected' },
              { value: 'uncompared', label: 'Not compared' },
              { value: 'unmatched', label: 'Not matched' },
            ]}
            onChange={({ currentTarget: { value } }) =>
              setFilters({
                affected: value === 'affected' || undefined,
                matched: value === 'unmatched' ? false : undefined,
                compared: value === 'uncompared' ? false : undefined,
              })
            }
          />
          <SupportSelect
            label="Support"
            value={filters.end_of_life}
            onChange={(end_of_life) => setFilters({ end_of_life })}
          />
        </Group>
      </ListHead>
      <PagedTable
        of="components"
        found={useQuery(componentsQuery(name, filters))}
        paging={filters}
        onChange={setFilters}
        columns={columnsFor(name)}
        failed="Unable to get the components"
        empty={<EmptyState title="No component matches" text="Search by a part of its name or purl." />}
      />
    </>
  )
}
