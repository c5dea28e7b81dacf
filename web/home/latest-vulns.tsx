import { Group, Stack, Title, Pagination, Text } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import type { VulnRow } from '../../worker/vulns/contract'
import type { Listing } from '../ui/column'
import { VulnTable } from '../vulns/list/vuln-table'
import type { ExploitRow } from '../../worker/exploits/contract'
import { dateColumn, linkColumn, relevancyColumn, vulnColumn } from '../exploits/exploit-columns'
import { AppLink } from '../ui/app-link'
import { DataTable } from '../ui/data-table'
import { EmptyState } from '../ui/empty-state'

const pageRows = 5

type Props = { title: string; listing: Listing<VulnRow>; empty: ReactNode; more?: ReactNode }

export function LatestVulns({ title, listing, empty, more }: Props) {
  const [page, setPage] = useState(1)
  const rows = listing.rows?.slice((page - 1) * pageRows, page * pageRows)
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2}>{title}</Title>
        {more}
      </Group>
      <VulnTable label={title} listing={{ ...listing, rows }} expected={pageRows} empty={empty} look="brief" />
      <ShortPager of={title} page={page} rows={pageRows} count={listing.rows?.length} onChange={setPage} />
    </Stack>
  )
}

const latestExploitsPageRows = 5
const title = 'Latest exploits metadata (Top 20)'
const columns = [relevancyColumn, vulnColumn, { ...linkColumn, label: 'Link' }, dateColumn]

export function LatestExploits({ listing }: { listing: Listing<ExploitRow> }) {
  const [page, setPage] = useState(1)
  const rows = listing.rows?.slice((page - 1) * latestExploitsPageRows, page * latestExploitsPageRows)
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2}>{title}</Title>
        <AppLink to="/exploits" fz="sm" aria-label="See all exploits">
          See all
        </AppLink>
      </Group>
      <DataTable
        label={title}
        columns={columns}
        listing={{ ...listing, rows }}
        expected={latestExploitsPageRows}
        href={({ vuln_id }) => `/vulns/${vuln_id}`}
        empty={<EmptyState title="No exploit yet" text="The lists of exploits are loading for the first time." />}
      />
      <ShortPager
        of={title}
        page={page}
        rows={latestExploitsPageRows}
        count={listing.rows?.length}
        onChange={setPage}
      />
    </Stack>
  )
}

type ShortPagerProps = {
  of: string
  page: number
  rows: number
  count: number | undefined
  onChange: (page: number) => void
}

function ShortPager({ of, page, rows, count, onChange }: ShortPagerProps) {
  if (count === undefined) return <Group mih={26} />
  if (count <= rows) return null
  const first = (page - 1) * rows + 1
  return (
    <Group justify="space-between" component="nav" aria-label={`Pages of ${of}`}>
      <Text size="sm" c="dimmed" role="status">
        {first}–{Math.min(first + rows - 1, count)} of {count}
      </Text>
      <Pagination
        size="sm"
        value={page}
        total={Math.ceil(count / rows)}
        onChange={onChange}
        getControlProps={(control) => ({ 'aria-label': `${control} page` })}
        getItemProps={(number) => ({ 'aria-label': `Page ${number}` })}
      />
    </Group>
  )
}
