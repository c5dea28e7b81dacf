import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { z } from 'zod'
import type { FeedInfo, listSkips } from '../../../worker/feeds/contract'
import { formatCount } from '../../lib/format'
import { listingFrom } from '../../ui/column'
import type { Column } from '../../ui/column'
import { DataTable } from '../../ui/data-table'
import { EmptyState } from '../../ui/empty-state'
import { Pager } from '../../ui/pager'
import { Timestamp } from '../../ui/timestamp'
import classes from '../settings.module.css'
import { skipsQuery } from './api'

type Skip = z.output<typeof listSkips.reply>['results'][number]

const columns: Column<Skip>[] = [
  { key: 'record', label: 'Record', inCard: 'lead', cell: ({ record_id }) => record_id },
  {
    key: 'reason',
    label: 'Reason',
    inCard: 'wide',
    cell: ({ reason, body }) => <Reason reason={reason} body={body} />,
  },
  { key: 'at', label: 'When', width: 132, cell: ({ at }) => <Timestamp at={at} withTime /> },
]

export function FeedSkips({ feed: { id, skips } }: { feed: FeedInfo }) {
  const [paging, setPaging] = useState({ page: 1, limit: 10 })
  const found = useQuery(skipsQuery({ ...paging, feed: id, sorted_by: '-at' }))
  return (
    <>
      <ul className={classes.reasons}>
        {skips.map(({ reason, count }) => (
          <li key={reason}>
            {formatCount(count)} × {reason}
          </li>
        ))}
      </ul>
      <DataTable
        label="Skipped records"
        columns={columns}
        listing={listingFrom(found)}
        expected={5}
        empty={<EmptyState title="Every record could be read" />}
      />
      <Pager
        of="the skipped records"
        paging={paging}
        found={found.data}
        onChange={(patch) => setPaging({ ...paging, page: 1, ...patch })}
      />
    </>
  )
}

const Reason = ({ reason, body }: Pick<Skip, 'reason' | 'body'>) => (
  <details>
    <summary>{reason}</summary>
    <pre className={classes.body}>{body}</pre>
  </details>
)
