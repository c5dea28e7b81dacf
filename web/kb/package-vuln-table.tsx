import type { ReactNode } from 'react'
import type { PackageVuln } from '../../worker/packages/contract'
import type { Column, Listing } from '../ui/column'
import { CvssBadge } from '../ui/cvss-badge'
import { DataTable } from '../ui/data-table'
import { ScoreBadge } from '../ui/score-badge'
import { When } from '../ui/when'
import { MetadataIcons } from '../vulns/metadata-icons'
import { Versions } from '../vulns/versions'
import { VulnIdentity } from '../vulns/vuln-identity'
import kb from './kb.module.css'
import classes from './package.module.css'
import { ViewButton } from './view-button'

const columns: Column<PackageVuln>[] = [
  {
    key: 'score',
    label: 'Score',
    width: 150,
    cell: ({ score, cvss, cvss3 }) => (
      <div className={kb.scores}>
        <ScoreBadge score={score} />
        <dl className={kb.cvss}>
          <dt>CVSSv2</dt>
          <dd>
            <CvssBadge version={2} score={cvss} />
          </dd>
          <dt>CVSSv3</dt>
          <dd>
            <CvssBadge version={3} score={cvss3} />
          </dd>
        </dl>
      </div>
    ),
  },
  {
    key: 'summary',
    label: 'Summary',
    inCard: 'wide',
    cell: (vuln) => (
      <div className={kb.told}>
        <div className={kb.identity}>
          <VulnIdentity vuln={vuln} />
          <ViewButton to={`/vulns/${vuln.id}`} name={vuln.cveid ?? `PH-${vuln.id}`} />
        </div>
        <p className={kb.summary}>{vuln.summary || 'No summary'}</p>
      </div>
    ),
  },
  {
    key: 'affected',
    label: 'Affected versions',
    width: 210,
    cell: ({ affected, verdict }) => (
      <>
        {verdict && <p className={classes.verdict}>{wordsOf(verdict)}</p>}
        <BySource said={affected.map((one) => ({ ...one, shown: one.versions, count: one.versions_count }))} />
      </>
    ),
  },
  {
    key: 'fixed',
    label: 'Fixed in',
    width: 160,
    cell: ({ affected, verdict }) =>
      verdict?.fixed_in ?? (
        <BySource said={affected.map((one) => ({ ...one, shown: one.fixed, count: one.fixed.length }))} />
      ),
  },
  { key: 'metadata', label: 'Metadata', width: 118, cell: (vuln) => <MetadataIcons vuln={vuln} /> },
  { key: 'updated', label: 'Last update', width: 132, cell: ({ updated_at }) => <When at={updated_at} withTime /> },
]

const confidence = { confirmed: 'Affected', likely: 'Likely affected', name_only: 'Named without versions' }
const wordsOf = (verdict: NonNullable<PackageVuln['verdict']>) => confidence[verdict.confidence]

type Said = { source: string; shown: string[]; count: number }

/** Versions under the name of the source that says so; a source that says nothing of them is left out. */
function BySource({ said }: { said: Said[] }) {
  const telling = said.filter(({ shown }) => shown.length > 0)
  if (telling.length === 0) return <span>n/a</span>
  return (
    <ul className={classes.said}>
      {telling.map(({ source, shown, count }) => (
        <li key={source}>
          <Versions versions={shown} versions_count={count} />
          <span className={classes.source}>{source}</span>
        </li>
      ))}
    </ul>
  )
}

type Props = { listing: Listing<PackageVuln>; expected: number; isTested: boolean; empty: ReactNode }

export const PackageVulnTable = ({ isTested, ...props }: Props) => (
  <DataTable
    label={isTested ? 'Vulnerabilities that affect the version' : 'Vulnerabilities'}
    columns={columns}
    href={({ id }) => `/vulns/${id}`}
    failed="Unable to get vulns"
    {...props}
  />
)
