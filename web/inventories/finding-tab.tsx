import { Button, Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { FindingQuery, type FindingRow } from '../../worker/inventories/finding-contract'
import { speakRange } from '../../worker/domain/versions/range'
import { useFilters } from '../lib/filters'
import type { Column } from '../ui/column'
import { EpssValue } from '../ui/epss-value'
import { PagedTable } from '../ui/paged-table'
import { Timestamp, Dated } from '../ui/timestamp'
import { useSourceName } from '../vulns/detail/source-name'
import { findingsQuery, unappliedQuery } from './api'
import { DecisionCell } from './decision-cell'
import { DependencyPath } from './open-counts'
import { findingDueColumn, FindingFilters, findingScoreColumn, NamedVuln, NoFindings } from './finding-list'
import { decisionWords } from '../lib/vex-words'
import { plural } from '../lib/format'
import { FailedLine } from '../ui/failed-line'
import classes from './inventories.module.css'

type Sort = NonNullable<FindingQuery['sorted_by']>

const certainty = { confirmed: 'confirmed', likely: 'likely', name_only: 'by its name only' }

/** In the short form of CISA's own decision vectors. */
const Ssvc = ({ points: [exploitation, automatable, impact] }: { points: string }) => (
  <Text size="xs" c="dimmed" title="SSVC: exploitation, automatable, technical impact">
    SSVC E:{exploitation}/A:{automatable}/T:{impact}
  </Text>
)

const columnsFor = (name: string): Column<FindingRow, Sort>[] => [
  findingScoreColumn,
  {
    label: 'Vulnerability',
    sort: ['-cveid', 'cveid'],
    inCard: 'lead',
    cell: (row) => <NamedVuln vuln={row}>{row.ssvc && <Ssvc points={row.ssvc} />}</NamedVuln>,
  },
  {
    label: 'Component',
    sort: ['component', '-component'],
    width: 170,
    inCard: 'wide',
    cell: ({ component, version, path }) => (
      <>
        <Text size="sm" fw={600}>
          {component} {version}
        </Text>
        <DependencyPath path={path} />
      </>
    ),
  },
  { label: 'Verdict', inCard: 'wide', width: 170, cell: (row) => <VerdictCell finding={row} /> },
  { label: 'EPSS', width: 80, sort: ['-epss', 'epss'], cell: ({ epss }) => <EpssValue epss={epss} /> },
  findingDueColumn,
  {
    label: 'Found',
    width: 100,
    sort: ['-newest', 'newest'],
    cell: ({ found_at }) => <Timestamp at={found_at} />,
  },
  {
    label: 'Decision',
    inCard: 'wide',
    width: 120,
    cell: (row) => <DecisionCell name={name} finding={row} />,
  },
]

function VerdictCell({ finding }: { finding: FindingRow }) {
  const { status, confidence, source, range, fixed_in, first_unlisted, is_disputed } = finding
  const nameSource = useSourceName()
  const fix = fixed_in
    ? `Fixed in ${fixed_in}`
    : first_unlisted
      ? `First not listed: ${first_unlisted}`
      : 'No fix is named'
  return (
    <>
      <Text size="sm">{status === 'affected' ? `Affected, ${certainty[confidence]}` : 'Unknown'}</Text>
      <Text size="xs" c="dimmed">
        {source
          ? confidence === 'name_only'
            ? `${nameSource(source)} names no version`
            : `${nameSource(source)} says: ${range === null ? 'all versions' : speakRange(range)}`
          : 'No source can be compared with this version'}
        {is_disputed && '; another source says otherwise'}
      </Text>
      {status === 'affected' && <Text size="sm">{fix}</Text>}
    </>
  )
}

export function FindingTab({ name }: { name: string }) {
  const [filters, setFilters] = useFilters(FindingQuery)
  return (
    <>
      <FindingFilters filters={filters} label="Search findings" onChange={setFilters}>
        {(filters.component ?? filters.vuln) !== undefined && (
          <Button
            leftSection={<IconX size={16} aria-hidden />}
            onClick={() => setFilters({ component: undefined, vuln: undefined })}
          >
            {filters.vuln ? 'Only one vulnerability' : 'Only one component'}: show all
          </Button>
        )}
      </FindingFilters>
      <PagedTable
        of="findings"
        found={useQuery(findingsQuery(name, filters))}
        paging={filters}
        onChange={setFilters}
        columns={columnsFor(name)}
        rowId={({ component_id, vuln_id }) => `${component_id} ${vuln_id}`}
        failed="Unable to get the findings"
        empty={<NoFindings noun="finding" filters={filters} />}
      />
      <UnappliedStatements name={name} />
    </>
  )
}

/** Asked for when it is opened. */
function UnappliedStatements({ name }: { name: string }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className={classes.unapplied} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>Statements of VEX hubs that were not applied</summary>
      {isOpen && <Statements name={name} />}
    </details>
  )
}

function Statements({ name }: { name: string }) {
  const query = useQuery(unappliedQuery(name))
  const { data } = query
  if (query.error) return <FailedLine text="The statements could not be loaded." query={query} />
  if (!data) return <Text size="sm">Loading …</Text>
  const { statements, applied, is_complete } = data
  return (
    <>
      <Text size="sm">
        {statements.length
          ? `${plural(statements.length, 'statement')} on products of this inventory propose nothing`
          : 'No statement on a product of this inventory was left out'}
        ; {applied} do.{!is_complete && ' These are the newest: others were not looked at.'}
      </Text>
      <ul>
        {statements.map(({ vuln, product, author, status, said_at, reason }, at) => (
          <li key={at}>
            <Text size="sm">
              {vuln}, {decisionWords[status].toLowerCase()}: {reason}.
            </Text>
            <Text size="xs" className={classes.path}>
              {author} on {product}
              <Dated words="," at={said_at} />
            </Text>
          </li>
        ))}
      </ul>
    </>
  )
}
