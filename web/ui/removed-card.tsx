import { Button, Group, Stack, Text } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { Card } from './card'
import { Timestamp } from './timestamp'

type Removed = { removed_at: string; removed_by: string | null; ends_at: string }
type Props<Row> = {
  title: string
  rows: Row[]
  nameOf: (row: Row) => string
  /** Absent for whoever may not restore. */
  onRestore: ((row: Row) => void) | undefined
  /** Where nothing may be changed. */
  readOnly: { disabled?: true; title?: string }
  children?: ReactNode
}

const shown = 10

/** Removed rows that can be taken back; nothing if there are none. */
export function RemovedCard<Row extends Removed>({ title, rows, nameOf, onRestore, readOnly, children }: Props<Row>) {
  const [isWhole, setIsWhole] = useState(false)
  if (!rows.length) return null
  return (
    <Card title={title}>
      <Stack component="ul" gap="xs" m={0} p={0} aria-label={title}>
        {(isWhole ? rows : rows.slice(0, shown)).map((row) => (
          <Group component="li" key={`${nameOf(row)} ${row.removed_at}`} justify="space-between">
            <div>
              <Text size="sm" fw={600}>
                {nameOf(row)}
              </Text>
              <Text size="xs" c="dimmed">
                Removed {row.removed_by && `by ${row.removed_by}, `}
                <Timestamp at={row.removed_at} isRelative /> · can be restored until <Timestamp at={row.ends_at} />
              </Text>
            </div>
            {onRestore && (
              <Button
                size="compact-sm"
                aria-label={`Restore ${nameOf(row)}`}
                onClick={() => onRestore(row)}
                {...readOnly}
              >
                Restore
              </Button>
            )}
          </Group>
        ))}
      </Stack>
      {!isWhole && rows.length > shown && (
        <Button variant="subtle" size="compact-sm" mt={6} onClick={() => setIsWhole(true)}>
          Show all {rows.length}
        </Button>
      )}
      {children}
    </Card>
  )
}
