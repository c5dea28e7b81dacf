import { Group, Stack, Title } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import type { ExploitRow } from '../../worker/exploits/contract'
import type { VulnRow } from '../../worker/vulns/contract'
import { dateColumn, linkColumn, relevancyColumn, vulnColumn } from '../exploits/exploit-columns'
import { AppLink } from '../ui/app-link'
import type { Listing } from '../ui/column'
import { DataTable } from '../ui/data-table'
import { EmptyState } from '../ui/empty-state'
import { Pager } from '../ui/pager'
import { VulnTable } from '../vulns/list/vuln-table'

const limit = 5

type Props<Row> = {
  title: string
  listing: Listing<Row>
  more?: ReactNode
  children: (page: Listing<Row>) => ReactNode
}

/** All rows are here already; `children` shows those of a page. */
function Latest<Row>({ title, listing, more, children }: Props<Row>) {
  const [page, setPage] = useState(1)
  const count = listing.rows?.length ?? 0
  const rows = listing.rows?.slice((page - 1) * limit, page * limit)
  const found = rows && { count, count_is_exact: true, results: rows }
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2}>{title}</Title>
        {more}
      </Group>
      {children({ ...listing, rows })}
      {(!rows || count > limit) && (
        <Pager
          of={title}
          paging={{ page, limit }}
          found={found}
          sizes={[]}
          onChange={(next) => setPage(next.page ?? 1)}
        />
      )}
    </Stack>
  )
}

export const LatestVulns = ({ empty, ...list }: Omit<Props<VulnRow>, 'children'> & { empty: ReactNode }) => (
  <Latest {...list}>
    {(listing) => <VulnTable label={list.title} listing={listing} expected={limit} empty={empty} look="brief" />}
  </Latest>
)

const title = 'Latest exploits metadata (Top 20)'
const columns = [relevancyColumn, vulnColumn, { ...linkColumn, label: 'Link' }, dateColumn]

export const LatestExploits = ({ listing: all }: { listing: Listing<ExploitRow> }) => (
  <Latest
    title={title}
    listing={all}
    more={
      <AppLink to="/exploits" fz="sm" aria-label="See all exploits">
        See all
      </AppLink>
    }
  >
    {(listing) => (
      <DataTable
        label={title}
        columns={columns}
        listing={listing}
        expected={limit}
        href={({ vuln_id }) => `/vulns/${vuln_id}`}
        empty={<EmptyState title="No exploit yet" text="The lists of exploits are loading for the first time." />}
      />
    )}
  </Latest>
)
