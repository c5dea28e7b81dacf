import { Group, Stack, Title } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import type { VulnRow } from '../../worker/vulns/contract'
import type { Listing } from '../ui/column'
import { VulnTable } from '../vulns/list/vuln-table'
import { ShortPager } from './short-pager'

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
