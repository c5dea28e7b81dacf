import type { ReactNode } from 'react'
import type { AuditRow } from '../../../worker/orgs/contract'
import type { Column, Listing } from '../../ui/column'
import { DataTable } from '../../ui/data-table'
import { Timestamp } from '../../ui/timestamp'
import classes from '../settings.module.css'
import { describeAuditAction } from './words'

type Sort = 'seq' | '-seq'

const columns: Column<AuditRow, Sort>[] = [
  { key: 'at', label: 'When', sort: ['-seq', 'seq'], width: 140, cell: ({ at }) => <Timestamp at={at} withTime /> },
  { key: 'actor', label: 'Who', width: 130, cell: ({ actor }) => actor },
  {
    key: 'action',
    label: 'What',
    width: 200,
    inCard: 'lead',
    cell: ({ action }) => <span title={action}>{describeAuditAction(action)}</span>,
  },
  { key: 'target', label: 'To whom', cell: ({ target }) => target },
  {
    key: 'detail',
    label: 'Detail',
    inCard: 'wide',
    cell: ({ detail }) => {
      const words = describeDetail(detail)
      return words && <p className={classes.note}>{words}</p>
    },
  },
  { key: 'ip', label: 'From where', width: 150, cell: ({ ip }) => ip },
]

type Props = {
  listing: Listing<AuditRow>
  expected: number
  empty: ReactNode
  sort: Sort
  onSort: (sort: Sort) => void
}

export function AuditTable({ listing, ...props }: Props) {
  const rows = listing.rows?.map((row) => ({ ...row, id: row.seq }))
  return <DataTable label="Audit log" columns={columns} listing={{ ...listing, rows }} {...props} />
}

export function describeDetail(detail: string) {
  try {
    const told = Object(JSON.parse(detail))
    if (told.kind === 'snoozed' || told.kind === 'accepted') return describeQuiet(told)
    return Object.entries(told)
      .filter(([, value]) => !isNothing(value))
      .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${formatNamed(name, value)}`)
      .join(' · ')
  } catch {
    return detail
  }
}

const happenings = [
  ['on_fix', 'a fix is published'],
  ['on_kev', 'CISA lists it as exploited'],
  ['on_exploit', 'an exploit is seen'],
] as const

/** How long a vulnerability is quiet, and why. */
function describeQuiet({ until, epss_above, reason, ...told }: Record<string, unknown>) {
  const ends = [
    ...(until ? [String(until)] : []),
    ...happenings.flatMap(([name, words]) => (told[name] ? [words] : [])),
    ...(typeof epss_above === 'number' ? [`EPSS is above ${epss_above}`] : []),
  ]
  return [...(ends.length ? [`until ${ends.join(', or ')}`] : []), ...(reason ? [String(reason)] : [])].join(' · ')
}

// A rule that is switched on or off is stored as a number, and a list as its JSON.
function formatNamed(name: string, value: unknown): string {
  if ((name.startsWith('on_') || name.endsWith('_report')) && typeof value === 'number') return value ? 'yes' : 'no'
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return formatValue(value)
  try {
    return formatValue(JSON.parse(value))
  } catch {
    return value
  }
}

const isNothing = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0)

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(formatValue).join(', ')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, one]) => `${name.replaceAll('_', ' ')} ${formatValue(one)}`)
    .join(', ')
}
