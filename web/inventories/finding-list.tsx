import { Checkbox, Group, NativeSelect, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { FindingQuery, FindingRow } from '../../worker/inventories/finding-contract'
import { VulnLink } from '../ui/app-link'
import type { Column } from '../ui/column'
import { EmptyState } from '../ui/empty-state'
import { KevMark } from '../ui/kev-mark'
import { FamousNames } from '../vulns/vuln-cells'
import { ScoreBadge } from '../ui/score-badge'
import { ListHead } from '../ui/search-field'
import { ValueFilter } from '../ui/value-filter'
import { DueWords } from '../vulns/risk-marks'

type Scored = Pick<FindingRow, 'score' | 'is_score_provisional'>
type Named = Pick<FindingRow, 'vuln_id' | 'cveid' | 'summary' | 'kev'>

export const findingScoreColumn = {
  label: 'Score',
  width: 80,
  sort: ['-score', 'score'],
  cell: (vuln) => <ScoreBadge of={vuln} />,
} satisfies Column<Scored, 'score' | '-score'>

export const findingDueColumn = {
  label: 'Due',
  width: 100,
  sort: ['due', '-due'],
  cell: ({ due }) =>
    due ? (
      <>
        <Text size="sm">{due}</Text>
        <Text size="xs" c="dimmed">
          <DueWords due={due} />
        </Text>
      </>
    ) : (
      '–'
    ),
} satisfies Column<Pick<FindingRow, 'due'>, 'due' | '-due'>

export const NamedVuln = ({ vuln, children }: { vuln: Named; children?: ReactNode }) => (
  <>
    <Group gap={8}>
      <VulnLink id={vuln.vuln_id} cveid={vuln.cveid} fw={600} />
      {vuln.kev && <KevMark />}
      <FamousNames cveid={vuln.cveid} />
    </Group>
    <Text size="sm" lineClamp={2}>
      {vuln.summary}
    </Text>
    {children}
  </>
)

type Filters = Pick<FindingQuery, 'status' | 'kev' | 'overdue' | 'fix' | 'search'>
type Props = {
  filters: Filters
  label: string
  onChange: (change: Filters, options?: { replace: boolean }) => void
  children?: ReactNode
}

const verdictWords = { affected: 'Affected', unknown: 'Unknown', closed: 'Closed by a decision' }
const fixes = [
  { value: '', label: 'Any' },
  { value: 'true', label: 'Some version closes it' },
  { value: 'false', label: 'No version is named' },
]

export const FindingFilters = ({ filters, label, onChange, children }: Props) => (
  <ListHead label={label} search={filters.search} onChange={onChange} align="end">
    <Group gap="md" align="end">
      <ValueFilter
        name="status"
        label="Verdict"
        any="Open"
        words={verdictWords}
        filters={filters}
        onChange={onChange}
      />
      <NativeSelect
        label="Fix"
        value={filters.fix === undefined ? '' : String(filters.fix)}
        data={fixes}
        onChange={({ currentTarget: { value } }) => onChange({ fix: value ? value === 'true' : undefined })}
      />
      <Checkbox
        label="Known to be exploited"
        checked={filters.kev === true}
        onChange={(event) => onChange({ kev: event.currentTarget.checked || undefined })}
      />
      <Checkbox
        label="Overdue"
        checked={filters.overdue === true}
        onChange={(event) => onChange({ overdue: event.currentTarget.checked || undefined })}
      />
      {children}
    </Group>
  </ListHead>
)

type NoFindingsProps = { noun: string; filters: Filters & Partial<Pick<FindingQuery, 'component' | 'vuln'>> }

/** Nobody is told to be safe by a filter, or by what could not be compared. */
export function NoFindings({ noun, filters: { status, kev, overdue, fix, search, component, vuln } }: NoFindingsProps) {
  const isNarrowed = search || [status, kev, overdue, fix, component, vuln].some((value) => value !== undefined)
  if (isNarrowed)
    return (
      <EmptyState
        title={`No ${noun} matches`}
        text="Choose another verdict, remove a filter, or search for other words."
      />
    )
  return (
    <EmptyState
      title={`No open ${noun}`}
      text="This is said of what was compared alone: components that are not compared may be affected."
    />
  )
}
