import '@mantine/core/styles/Alert.css'
import { Alert, NativeSelect, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { PackageVulnQuery, packageVulns, type PackageDetail, type PackageVuln } from '../../../worker/packages/contract'
import { likenessWords } from '../../../worker/domain/names/look-alikes'
import { askPage } from '../../lib/ask'
import { useFilters } from '../../lib/filters'
import { formatCount, plural } from '../../lib/format'
import { AppLink } from '../../ui/app-link'
import kb from '../kb.module.css'
import { KnownVersions } from '../known-versions'
import { changedColumn, metadataColumn, ScopedVulnTable, scoreColumn, summaryColumn } from '../scoped-vulns'
import { SupportList } from '../support'
import type { Column } from '../../ui/column'
import { SourceName } from '../../vulns/detail/source-name'
import { Versions } from '../../vulns/versions'
import classes from './package.module.css'

/** For a source that only says where the affected versions end. */
const notListed = (version: string) => `not listed from ${version} on`

const confidence = { confirmed: 'Affected', likely: 'Likely affected', name_only: 'No versions given' }

const packageVulnColumns: Column<PackageVuln>[] = [
  scoreColumn,
  summaryColumn(({ summary }) => <p className={kb.summary}>{summary || 'No summary'}</p>),
  {
    label: 'Affected versions',
    width: 210,
    cell: ({ affected, verdict }) => (
      <>
        {verdict && <p className={classes.verdict}>{confidence[verdict.confidence]}</p>}
        {verdict?.is_disputed && <p className={classes.verdict}>The sources disagree</p>}
        <BySource
          statements={affected.map(({ source, versions, versions_count }) => {
            const named = versions.filter((version) => !version.endsWith(': unaffected'))
            return { source, versions: named, count: versions_count - versions.length + named.length }
          })}
        />
      </>
    ),
  },
  {
    label: 'Fix',
    width: 160,
    cell: ({ affected, verdict }) => {
      if (verdict?.fixed_in) return verdict.fixed_in
      if (verdict?.first_unlisted) return notListed(verdict.first_unlisted)
      const statements = affected.map(({ source, fixed, first_unlisted }) => {
        const versions = fixed.length ? fixed : first_unlisted.map(notListed)
        return { source, versions, count: versions.length }
      })
      return <BySource statements={statements} />
    },
  },
  metadataColumn,
  changedColumn,
]

type Statement = { source: string; versions: string[]; count: number }

/** Leaves out a source that names no version. */
function BySource({ statements }: { statements: Statement[] }) {
  const withVersions = statements.filter(({ versions }) => versions.length > 0)
  if (withVersions.length === 0) return <span>n/a</span>
  return (
    <ul className={classes.statements}>
      {withVersions.map(({ source, versions, count }) => (
        <li key={source}>
          <Versions versions={versions} versions_count={count} />
          <span className={classes.source}>
            <SourceName source={source} />
          </span>
        </li>
      ))}
    </ul>
  )
}

const packageVulnsQuery = (id: number, query: PackageVulnQuery) =>
  askPage(['packages', 'vulns', id, query], packageVulns, { params: { id }, query }, 'Unable to get vulns')

export function PackageVulns({ id, found }: { id: number; found: PackageDetail | undefined }) {
  const [filters, setFilters] = useFilters(PackageVulnQuery, { limit: 10 })
  const vulns = useQuery(packageVulnsQuery(id, filters))
  const version = filters.version || undefined
  return (
    <>
      {found && found.releases.length > 0 && (
        <NativeSelect
          label="Release"
          w={{ base: '100%', xs: 320 }}
          data={[{ value: '', label: 'Any release' }, ...found.releases]}
          value={filters.release ?? ''}
          onChange={(event) => setFilters({ release: event.currentTarget.value || undefined })}
        />
      )}
      {found && (
        <KnownVersions
          versions={found.versions}
          chosen={version}
          onChoose={(chosen) => setFilters({ version: chosen })}
        />
      )}
      {found && <SupportList lifecycles={found.lifecycles} version={version} />}
      <Title order={2}>{version === undefined ? 'Vulnerabilities' : `Vulnerabilities that affect ${version}`}</Title>
      {version !== undefined && vulns.data && found && <Tested {...vulns.data} of={found.vulns_cnt} />}
      <ScopedVulnTable
        found={vulns}
        paging={filters}
        onChange={setFilters}
        columns={packageVulnColumns}
        version={version}
        isPartial={vulns.data !== undefined && (vulns.data.unknown > 0 || vulns.data.tested < (found?.vulns_cnt ?? 0))}
      />
    </>
  )
}

export function LookAlikes({ found: { look_alikes } }: { found: PackageDetail }) {
  if (!look_alikes.length) return null
  return (
    <Alert title="Its name looks like one that you monitor" role="note">
      {look_alikes.map(({ id, name, likeness }) => (
        <div key={id}>
          <AppLink to={`/packages/${id}`}>{name}</AppLink>: {likenessWords[likeness]}
        </div>
      ))}
      Attackers publish such names for whoever mistypes; most of them are innocent. Make sure that this is the one you
      mean.
    </Alert>
  )
}

type TestedProps = { tested: number; unknown: number; of: number }

/** Tells how many vulnerabilities were tested, and for how many the answer is unknown. */
function Tested({ tested, unknown, of }: TestedProps) {
  const isPart = tested < of
  if (!isPart && unknown === 0) return null
  return (
    <p className={kb.note} role="note">
      {isPart && `Only the newest ${formatCount(tested)} of ${formatCount(of)} vulnerabilities were checked. `}
      {unknown > 0 &&
        `For ${plural(unknown, 'vulnerability', 'vulnerabilities')}, it is not known whether this version is affected.`}
    </p>
  )
}
