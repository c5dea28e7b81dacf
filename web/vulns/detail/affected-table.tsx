import { Button } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { IconArrowsDiff } from '@tabler/icons-react'
import { formatCount } from '../../lib/format'
import type { Column } from '../../ui/column'
import { DataTable } from '../../ui/data-table'
import { Mark } from '../../ui/mark'
import { MonitoredChip } from '../../ui/monitored-chip'
import { Versions } from '../versions'
import { Fixed } from './fixed'
import { SourceName } from './source-name'
import { shownVersions, Statements } from './statements'
import type { Statement } from './statements'
import classes from '../vuln-detail.module.css'

type Row = Statement & { id: number; monitored: boolean; statements: Statement[] }
type Props<One extends Row> = { label: string; rows: One[]; shownFirst: number; name: (row: One) => ReactNode }

const versionsColumn: Column<Row> = {
  key: 'versions',
  label: 'Versions',
  inCard: 'wide',
  cell: ({ statements }) => <Union statements={statements} />,
}
const monitoredColumn: Column<Row> = {
  key: 'monitored',
  label: 'Monitored',
  width: 88,
  cell: ({ monitored }) => <MonitoredChip monitored={monitored} />,
}

export function AffectedTable<One extends Row>({ label, rows, shownFirst, name }: Props<One>) {
  const [showsAll, setShowsAll] = useState(false)
  const hidden = showsAll ? 0 : rows.length - shownFirst
  const columns: Column<One>[] = [
    { key: 'name', label: 'Name', width: 190, inCard: 'lead', cell: name },
    versionsColumn,
    monitoredColumn,
  ]
  return (
    <>
      <DataTable
        label={label}
        columns={columns}
        listing={{
          rows: showsAll ? rows : rows.slice(0, shownFirst),
          isUpdating: false,
          error: null,
          retry: () => undefined,
        }}
        expected={0}
        empty={null}
      />
      {hidden > 0 && (
        <Button variant="subtle" size="compact-sm" mt={8} onClick={() => setShowsAll(true)}>
          Show all {formatCount(rows.length)}
        </Button>
      )}
    </>
  )
}

/** The ranges of all sources once, who says them, and whether they differ; what each says is a press away. */
function Union({ statements }: { statements: Statement[] }) {
  const naming = statements.filter(({ is_name_only }) => !is_name_only)
  const [only] = naming
  if (!only || statements.length === 1) return <Statements statements={statements} />
  const versions = distinct(naming.flatMap((one) => one.versions))
  const unseen = Math.max(...naming.map((one) => one.versions_count - one.versions.length))
  const fixed = distinct(naming.flatMap((one) => one.fixed))
  const unlisted = distinct(naming.flatMap((one) => one.first_unlisted)).filter((version) => !fixed.includes(version))
  const isDisputed = new Set(naming.map((one) => one.versions.toSorted().join())).size > 1
  return (
    <>
      <Versions versions={versions} versions_count={versions.length + unseen} limit={shownVersions} />
      {fixed.length > 0 && (
        <p className={classes.fixes}>
          Fixed in <Fixed versions={fixed} />
        </p>
      )}
      {unlisted.length > 0 && (
        <p className={classes.fixes}>
          First not listed as affected: <Fixed versions={unlisted} />
        </p>
      )}
      <details className={classes.bySource}>
        <summary>
          {statements.map(({ source }) => (
            <Mark key={source} tone="plain">
              <SourceName source={source} />
            </Mark>
          ))}
          {isDisputed && (
            <Mark tone="warning" icon={<IconArrowsDiff size={12} aria-hidden />} title="Open to see what each says">
              Sources differ
            </Mark>
          )}
        </summary>
        <Statements statements={statements} />
      </details>
    </>
  )
}

const distinct = (values: string[]) => [...new Set(values)]
