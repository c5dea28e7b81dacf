import { Button } from '@mantine/core'
import { useState } from 'react'
import { IconArrowsDiff } from '@tabler/icons-react'
import type { AffectedItem, VulnDetail } from '../../../worker/vulns/detail/contract'
import { formatCount, plural } from '../../lib/format'
import { AppLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import type { Column } from '../../ui/column'
import { DataTable } from '../../ui/data-table'
import { MonitoredChip } from '../../ui/monitored-chip'
import { ProductLabel } from '../../ui/product-name'
import classes from '../vuln-detail.module.css'
import { SourceName } from './source-name'
import { Versions } from '../versions'
import { Mark } from '../../ui/mark'

const limit = 3

/** A fix should not be among the versions listed as affected. A source that names no fix does not say that there is none. */
function Fixed({ versions, affected = [] }: { versions: string[]; affected?: string[] }) {
  if (versions.length === 0) return <span title="No source names a fixed version">n/a</span>
  const more = versions.length - limit
  return (
    <>
      {versions
        .slice(0, limit)
        .map((version) => (affected.includes(version) ? `${version} (disputed)` : version))
        .join(', ')}
      {more > 0 && <> and {plural(more, 'other')}</>}
    </>
  )
}

type SourceStatement = {
  source: string
  versions: string[]
  versions_count: number
  fixed: string[]
  first_unlisted: string[]
  is_name_only?: boolean
}

const shownVersions = 4

const StatementList = ({ statements }: { statements: SourceStatement[] }) =>
  statements.map((statement) => (
    <div key={statement.source} className={classes.statement}>
      {statement.is_name_only ? (
        <span className={classes.note}>No versions named</span>
      ) : (
        <Versions {...statement} limit={shownVersions} />
      )}
      <p className={classes.fixes}>
        <SourceName source={statement.source} />
        {statement.fixed.length > 0 && (
          <>
            {' · Fixed in '}
            <Fixed versions={statement.fixed} />
          </>
        )}
        {statement.first_unlisted.length > 0 && (
          <>
            {' · First not listed as affected: '}
            <Fixed versions={statement.first_unlisted} />
          </>
        )}
      </p>
    </div>
  ))

type Props = { item: Omit<AffectedItem, 'id'>; statements: SourceStatement[] }

function AffectedVersions({ item, statements }: Props) {
  const { versions, versions_count, fixed, first_unlisted, sources, is_disputed, is_name_only } = item
  if (is_name_only)
    return (
      <>
        <span className={classes.note}>No versions named</span>
        <p className={classes.sources}>
          <SourceMarks sources={sources} />
        </p>
      </>
    )
  if (versions.length === 0) return <StatementList statements={statements} />
  const marks = (
    <>
      <SourceMarks sources={sources} />
      {is_disputed && (
        <Mark tone="warning" icon={IconArrowsDiff} title="Open to see what each says">
          Sources disagree
        </Mark>
      )}
    </>
  )
  const tellsMore = statements.length > 1 || statements.some((statement) => statement.versions_count !== versions_count)
  return (
    <>
      <Versions versions={versions} versions_count={versions_count} limit={shownVersions} />
      {fixed.length > 0 && first_unlisted.length > 0 && (
        <p className={classes.fixes}>
          First not listed as affected: <Fixed versions={first_unlisted} />
        </p>
      )}
      {tellsMore ? (
        <details className={classes.bySource}>
          <summary>{marks}</summary>
          <StatementList statements={statements} />
        </details>
      ) : (
        <p className={classes.sources}>{marks}</p>
      )}
    </>
  )
}

const SourceMarks = ({ sources }: { sources: string[] }) =>
  sources.map((source) => (
    <Mark key={source} tone="plain">
      <SourceName source={source} />
    </Mark>
  ))

type Row = Omit<AffectedItem, 'id'> & { id: string; path: string; statements: SourceStatement[] }

const shownFirst = 5
const title = 'Affected products and packages'

const columns: Column<Row>[] = [
  {
    label: 'Name',
    width: 190,
    inCard: 'lead',
    cell: ({ path, name, vendor, via }) => (
      <>
        <AppLink to={path} fw={600} underline="hover">
          {via === 'product' ? <ProductLabel name={name} /> : name}
        </AppLink>
        <span className={classes.vendor}>{via === 'product' ? <ProductLabel name={vendor} /> : vendor}</span>
      </>
    ),
  },
  {
    label: 'Versions',
    inCard: 'wide',
    cell: (row) => <AffectedVersions item={row} statements={row.statements} />,
  },
  {
    label: 'Monitored',
    width: 88,
    cell: ({ monitored }) => <MonitoredChip monitored={monitored} />,
  },
]

/** Monitored products and packages come first; those with the same fixed version stand together. */
export function AffectedCard({ vuln }: { vuln: VulnDetail }) {
  const [showsAll, setShowsAll] = useState(false)
  const rows = listRows(vuln)
  const count = vuln.product_count + vuln.package_count
  const missing = count - rows.length
  if (rows.length === 0) return <Card title={title}>No source names an affected product or package yet.</Card>
  const shown = showsAll ? rows : rows.slice(0, shownFirst)
  return (
    <Card title={`${title} (${formatCount(count)})`}>
      <DataTable label={title} columns={columns} listing={{ rows: shown }} heading={headGroup} />
      {rows.length > shown.length && (
        <Button variant="subtle" size="compact-sm" mt={8} onClick={() => setShowsAll(true)}>
          Show all {formatCount(rows.length)}
        </Button>
      )}
      {missing > 0 && (
        <p className={classes.note}>
          {plural(missing, 'other')} not shown here; those that you monitor are among the first.
        </p>
      )}
    </Card>
  )
}

function listRows({ affected_items, affected, affected_packages }: VulnDetail): Row[] {
  const statements = {
    product: Map.groupBy(affected, ({ product_id }) => product_id),
    package: Map.groupBy(affected_packages, ({ package_id }) => package_id),
  }
  return affected_items.map((item) => ({
    ...item,
    id: `${item.via} ${item.id}`,
    path: item.via === 'product' ? `/product/${item.id}` : `/packages/${item.id}`,
    statements: statements[item.via].get(item.id) ?? [],
  }))
}

const headGroup = (row: Row, before: Row | undefined) =>
  row.place === before?.place && row.fix === before.fix ? null : <GroupHeading item={row} />

const placeWords: Record<AffectedItem['place'], string> = {
  monitored: 'monitored',
  named: 'named in the record',
  other: 'others that are affected',
  distribution: 'distributions and images',
}

function GroupHeading({ item: { place, fixed, first_unlisted, versions } }: { item: Row }) {
  return (
    <span className={classes.group}>
      <span>
        {fixed.length > 0 ? (
          <>
            Fixed in <Fixed versions={fixed} affected={versions} />
          </>
        ) : first_unlisted.length > 0 ? (
          <>
            First not listed as affected: <Fixed versions={first_unlisted} />
          </>
        ) : (
          'No source names a fix'
        )}
      </span>
      <span className={classes.place}>{placeWords[place]}</span>
    </span>
  )
}
