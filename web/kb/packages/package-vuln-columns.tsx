import type { PackageVuln } from '../../../worker/packages/contract'
import type { Column } from '../../ui/column'
import { SourceName } from '../../vulns/detail/source-name'
import { Versions } from '../../vulns/versions'
import kb from '../kb.module.css'
import { changedColumn, metadataColumn, scoreColumn, summaryColumn } from '../vuln-columns'
import classes from './package.module.css'

/** For a source that only says where the affected versions end. */
const notListed = (version: string) => `not listed from ${version} on`

const confidence = { confirmed: 'Affected', likely: 'Likely affected', name_only: 'No versions given' }

export const packageVulnColumns: Column<PackageVuln>[] = [
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
            const named = versions.filter((one) => !one.endsWith(': unaffected'))
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
