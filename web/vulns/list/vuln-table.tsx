import { useSignals } from '@preact/signals-react/runtime'
import { useMemo, type ReactNode } from 'react'
import { useMutation } from '@tanstack/react-query'
import { Checkbox } from '@mantine/core'
import type { VulnQuery, VulnRow } from '../../../worker/vulns/contract'
import { knownUpdate } from '../../../worker/domain/words/last-update'
import { severity } from '../../../worker/domain/scores/cvss'
import { newestCvss } from '../../../worker/domain/scores/severity'
import type { Column, Listing } from '../../ui/column'
import { CvssBadge } from '../../ui/cvss-badge'
import { DataTable } from '../../ui/data-table'
import { EpssValue } from '../../ui/epss-value'
import { MonitoredChip, MonitoredToggle } from '../../ui/monitored-chip'
import { ScoreBadge } from '../../ui/score-badge'
import { Timestamp } from '../../ui/timestamp'
import { MetadataIcons, VulnIdentity, VulnSummary } from '../vuln-cells'
import { RiskMarks } from '../risk-marks'
import { UnreadMark, WorkMarks } from './marks'
import classes from './inbox.module.css'
import { useReadOnly } from '../../session/known-org'
import { setListedMonitoredMutation } from '../api'
import vulnCellsClasses from '../vuln-cells.module.css'
import { hiddenColumns, isSlim } from './list-look'
import { useSelection } from './selection'
import { nameVuln } from '../../lib/format'

type ListSort = VulnQuery['sorted_by']

const columns: Column<VulnRow, ListSort>[] = [
  {
    label: 'Score',
    sort: ['-score', 'score'],
    width: 70,
    cell: (vuln) => <ScoreBadge of={vuln} />,
  },
  {
    label: 'CVSSv2',
    sort: ['-cvss', 'cvss'],
    width: 64,
    cell: ({ cvss }) => <CvssBadge version={2} score={cvss} />,
  },
  {
    label: 'CVSSv3',
    sort: ['-cvss3', 'cvss3'],
    width: 66,
    cell: ({ cvss3 }) => <CvssBadge version={3} score={cvss3} />,
  },
  { label: 'EPSS', sort: ['-epss', 'epss'], width: 60, cell: ({ epss }) => <EpssValue epss={epss} /> },
  { label: 'KEV', width: 62, cell: (vuln) => <RiskMarks vuln={vuln} /> },
  {
    label: 'CVE',
    sort: ['-cveid', 'cveid'],
    width: 128,
    inCard: 'lead',
    cell: (vuln) => <VulnIdentity vuln={vuln} />,
  },
  { label: 'Summary', inCard: 'wide', cell: (vuln) => <VulnSummary vuln={vuln} /> },
  {
    label: 'Metadata',
    sort: ['-exploit_count', 'exploit_count'],
    width: 118,
    cell: (vuln) => <MetadataIcons vuln={vuln} />,
  },
  { label: 'Monitored', width: 84, cell: ({ monitored }) => <MonitoredChip monitored={monitored} /> },
  {
    label: 'Last update',
    sort: ['-updated_at', 'updated_at'],
    width: 98,
    cell: (vuln) => <Timestamp at={knownUpdate(vuln)} />,
  },
]

const pickColumn = (label: string) => columns.filter((column) => column.label === label)

const riskColumn: Column<VulnRow, ListSort> = {
  label: 'Risk',
  sort: ['risk'],
  also: { label: 'Due', sort: ['due', '-due'] },
  width: 104,
  cell: (vuln) => <RiskMarks vuln={vuln} />,
}

/** The list: score and CVSS in one cell, a line for the words and one for the products, and a toggle in each row. */
const deskColumns: Column<VulnRow, ListSort>[] = [
  {
    label: 'Score',
    sort: ['-score', 'score'],
    also: { label: 'CVSS', sort: ['-cvss3', 'cvss3'] },
    width: 124,
    cell: (vuln) => <ScoreWithCvss vuln={vuln} />,
  },
  {
    label: 'CVE',
    sort: ['-cveid', 'cveid'],
    width: 196,
    inCard: 'lead',
    cell: (vuln) => <VulnIdentity vuln={vuln} isCompact />,
  },
  { label: 'Summary', inCard: 'wide', cell: (vuln) => <VulnSummary vuln={vuln} isCompact /> },
  { label: 'EPSS', sort: ['-epss', 'epss'], width: 64, cell: ({ epss }) => <EpssValue epss={epss} /> },
  {
    label: 'Composite',
    width: 84,
    cell: ({ composite = null }) => (
      <EpssValue
        epss={composite}
        title="The greatest of EPSS, CISA KEV and LEV, which may add up scores of several EPSS models"
      />
    ),
  },
  riskColumn,
  ...pickColumn('Metadata'),
  ...pickColumn('Monitored').map((column) => ({
    ...column,
    sort: ['-monitored', 'monitored'] as const,
    cell: (vuln: VulnRow) => <MonitorCell vuln={vuln} />,
  })),
  {
    label: 'Published',
    sort: ['-published', 'published'],
    width: 98,
    cell: ({ published }) => <Timestamp at={published} />,
  },
  ...pickColumn('Last update'),
]

const selectColumn: Column<VulnRow, ListSort> = {
  label: 'Select',
  width: 52,
  cell: (vuln) => <SelectCell vuln={vuln} />,
}
const selectingColumns = [selectColumn, ...deskColumns]

/** Beside the pane: only what identifies a row, and the state of the work on it. */
const inboxColumns: Column<VulnRow, ListSort>[] = [
  { label: 'New', width: 46, cell: ({ id }) => <UnreadMark id={id} /> },
  ...pickColumn('Score').map((column) => ({ ...column, width: 78 })),
  {
    label: 'Vulnerability',
    sort: ['-cveid', 'cveid'],
    inCard: 'lead',
    cell: (vuln) => (
      <div className={classes.inboxed}>
        <VulnIdentity vuln={vuln} isCompact />
        <VulnSummary vuln={vuln} isCompact />
      </div>
    ),
  },
  { ...riskColumn, width: 110 },
  { label: 'Work', width: 88, cell: ({ id }) => <WorkMarks id={id} /> },
]

const vulnHref = ({ id }: VulnRow) => `/vulns/${id}`

/** The home screen shows fewer columns (S1 §2) and does not sort. */
const leftOut = new Set(['EPSS', 'KEV', 'Monitored'])
const briefColumns = columns.filter(({ label }) => !leftOut.has(label))

const columnsByLook = {
  full: columns,
  brief: briefColumns,
  desk: deskColumns,
  selecting: selectingColumns,
  inbox: inboxColumns,
  sorting: [selectColumn, ...inboxColumns],
}

type Props = {
  label: string
  listing: Listing<VulnRow>
  expected: number
  empty: ReactNode
  look?: keyof typeof columnsByLook
  sort?: ListSort
  onSort?: (sort: ListSort) => void
}

export function VulnTable({ look = 'full', ...props }: Props) {
  useSignals()
  const isDense = look !== 'full' && look !== 'brief'
  const isChosen = look === 'desk' || look === 'selecting'
  const hidden = hiddenColumns.value
  const shown = useMemo(
    () => columnsByLook[look].filter(({ label }) => !isChosen || !hidden.has(label)),
    [look, isChosen, hidden],
  )
  return (
    <div className={isChosen && isSlim.value ? vulnCellsClasses.slim : undefined}>
      <DataTable columns={shown} isDense={isDense} href={vulnHref} {...props} />
    </div>
  )
}

function MonitorCell({ vuln: { id, cveid, monitored } }: { vuln: VulnRow }) {
  const { isPending, mutate } = useMutation(setListedMonitoredMutation)
  return (
    <MonitoredToggle
      monitored={monitored}
      name={nameVuln(id, cveid)}
      isPending={isPending}
      readOnly={useReadOnly()}
      onToggle={() => mutate({ id, monitored: !monitored })}
    />
  )
}

function ScoreWithCvss({ vuln }: { vuln: VulnRow }) {
  const newest = newestCvss(vuln)
  return (
    <span className={vulnCellsClasses.scores}>
      <ScoreBadge of={vuln} isBare />
      {newest && (
        <span className={vulnCellsClasses.cvss}>
          CVSS {newest.base.toFixed(1)} {severity(newest.version, newest.base)}
        </span>
      )}
    </span>
  )
}

function SelectCell({ vuln: { id, cveid } }: { vuln: VulnRow }) {
  const { ids, toggle } = useSelection()
  return (
    <Checkbox
      size="xs"
      aria-label={`Select ${nameVuln(id, cveid)}`}
      checked={ids.has(id)}
      onChange={() => toggle(id)}
    />
  )
}
