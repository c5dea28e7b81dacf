import '@mantine/core/styles/Alert.css'
import { Alert, NativeSelect, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { PackageVulnQuery, packageVulns } from '../../../worker/packages/contract'
import type { PackageDetail } from '../../../worker/packages/contract'
import { likenessWords } from '../../../worker/domain/names/look-alikes'
import { askPage } from '../../lib/ask'
import { useFilters } from '../../lib/filters'
import { formatCount, plural } from '../../lib/format'
import { AppLink } from '../../ui/app-link'
import classes from '../kb.module.css'
import { KnownVersions } from '../known-versions'
import { ScopedVulnTable } from '../scoped-vulns'
import { SupportList } from '../support'
import { packageVulnColumns } from './package-vuln-columns'

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
    <p className={classes.note} role="note">
      {isPart && `Only the newest ${formatCount(tested)} of ${formatCount(of)} vulnerabilities were checked. `}
      {unknown > 0 &&
        `For ${plural(unknown, 'vulnerability', 'vulnerabilities')}, it is not known whether this version is affected.`}
    </p>
  )
}
