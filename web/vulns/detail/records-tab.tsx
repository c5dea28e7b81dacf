import { Button, Code, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Card } from '../../ui/card'
import { Loaded } from '../../ui/loaded'
import { Dated } from '../../ui/timestamp'
import { EmptyState } from '../../ui/empty-state'
import { useSourceName } from './source-name'
import { recordsQuery } from './api'
import classes from '../vuln-detail.module.css'

export const RecordsTab = ({ id }: { id: number }) => (
  <Loaded
    query={useQuery(recordsQuery(id))}
    failed="The records could not be loaded"
    waiting={<Skeleton height={160} aria-busy />}
  >
    {(records) => (
      <Stack>
        {records.length === 0 && <EmptyState title="No source has a record of this vulnerability" />}
        {records.map((record) => (
          <RecordCard key={record.source} {...record} />
        ))}
      </Stack>
    )}
  </Loaded>
)

type Props = { source: string; modified: string | null; record: Record<string, unknown> }

function RecordCard({ source, modified, record }: Props) {
  const [isRaw, setRaw] = useState(false)
  const { summary } = record
  const name = useSourceName()(source)
  return (
    <Card
      title={name}
      aside={
        <Button size="compact-xs" aria-expanded={isRaw} onClick={() => setRaw(!isRaw)}>
          {isRaw ? 'Hide the full record' : 'Show the full record'}
        </Button>
      }
    >
      <p className={classes.note}>{modified ? <Dated words="Modified" at={modified} withTime /> : 'No date given'}</p>
      {typeof summary === 'string' && summary !== '' && <p className={classes.recordSummary}>{summary}</p>}
      {isRaw && (
        <Code block className={classes.raw} tabIndex={0} aria-label={`Record of ${name}`}>
          {JSON.stringify(record, null, 2)}
        </Code>
      )}
    </Card>
  )
}
