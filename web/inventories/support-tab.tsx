import { Anchor, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Distribution, SupportRow } from '../../worker/inventories/upgrade-contract'
import { formatCount, plural } from '../lib/format'
import { PagingQuery, useFilters } from '../lib/filters'
import type { Column } from '../ui/column'
import { EmptyState } from '../ui/empty-state'
import { PagedTable } from '../ui/paged-table'
import { SupportMark } from '../ui/support-mark'
import { unsupportedQuery } from './api'
import classes from './inventories.module.css'

const describeNext = ({ label, fixes_until }: NonNullable<SupportRow['next']>) =>
  fixes_until ? `${label}, supported until ${fixes_until}` : label

const columns: Column<SupportRow>[] = [
  {
    label: 'Component',
    inCard: 'lead',
    cell: ({ component, version }) => (
      <Text fw={600}>
        {component} {version}
      </Text>
    ),
  },
  {
    label: 'Release',
    inCard: 'wide',
    cell: ({ product, release }) => (
      <Anchor href={product.link} target="_blank" rel="noreferrer">
        {product.label} {release.label}
      </Anchor>
    ),
  },
  { label: 'Support', width: 230, cell: ({ release }) => <SupportMark {...release} /> },
  {
    label: 'Go to',
    cell: ({ next }) => (next ? describeNext(next) : 'Not known'),
  },
  { label: 'Newest of it', width: 140, cell: ({ release }) => release.latest ?? 'Not known' },
]

function Distributions({ list }: { list: Distribution[] }) {
  if (!list.length) return null
  return (
    <ul aria-label="Distributions" className={classes.distributions}>
      {list.map(({ product, release, packages, next }) => (
        <li key={`${product.link} ${release.name}`}>
          <Group>
            <Anchor href={product.link} target="_blank" rel="noreferrer" fw={600}>
              {product.label} {release.label}
            </Anchor>
            <SupportMark {...release} />
            <Text size="sm">{plural(packages, 'package')} of it</Text>
          </Group>
          {next && <Text size="sm">Go to {describeNext(next)}</Text>}
        </li>
      ))}
    </ul>
  )
}

export function SupportTab({ name }: { name: string }) {
  const [paging, setPaging] = useFilters(PagingQuery)
  const found = useQuery(unsupportedQuery(name, paging))
  const known = found.data?.known ?? 0
  return (
    <>
      <Text size="sm">
        For what is no longer supported no fix will come, or only by extended support. Dates are those of
        endoflife.date, which knows the releases of {found.data ? plural(known, 'component') : 'some components'} here;
        of the others nobody can tell.
      </Text>
      <Distributions list={found.data?.distributions ?? []} />
      <PagedTable
        of="components"
        label="Support"
        found={found}
        paging={paging}
        onChange={setPaging}
        columns={columns}
        rowId={({ component_id }) => component_id}
        expected={5}
        failed="Unable to get what is no longer supported"
        empty={
          <EmptyState
            title={known ? 'Nothing ended' : 'Not known'}
            text={
              known
                ? `Of ${formatCount(known)} components whose releases are known, each is supported for 90 days at least.`
                : 'Nobody lists the releases of these components.'
            }
          />
        }
      />
    </>
  )
}
