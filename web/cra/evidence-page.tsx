import { Button, Group, Skeleton } from '@mantine/core'
import { IconDownload, IconPrinter } from '@tabler/icons-react'
import { Link } from 'react-router-dom'
import { speakRange } from '../../worker/domain/versions/range'
import type { ReactNode } from 'react'
import type { CraEvidence } from '../../worker/cra/contract'
import { useNamedRow } from '../lib/id-param'
import { formatCount, nameVuln } from '../lib/format'
import { OutLink, VulnLink } from '../ui/app-link'
import { Loaded } from '../ui/loaded'
import { MissingState } from '../ui/missing-state'
import { Page } from '../ui/page'
import { Timestamp, Dated } from '../ui/timestamp'
import { useSourceName } from '../vulns/detail/source-name'
import { craEvidenceQuery, saveEvidence } from './api'
import { Moment } from './clock-columns'
import classes from './cra.module.css'
import { StageList } from './stage-list'
import { nameZone } from './times'

export function EvidencePage() {
  const { id, found, isMissing } = useNamedRow(craEvidenceQuery)
  const { data: evidence } = found
  if (isMissing) return <MissingState title="CRA clock not found" to="/cra" label="All CRA clocks" />
  return (
    <Page
      title={`CRA clock of ${nameVuln(id, evidence?.vulnerability.cveid ?? null)}`}
      actions={evidence && <Actions evidence={evidence} />}
    >
      <Loaded query={found} failed="Unable to get the clock" waiting={<Skeleton height={320} />}>
        {(loaded) => <Pack evidence={loaded} />}
      </Loaded>
    </Page>
  )
}

const Actions = ({ evidence }: { evidence: CraEvidence }) => (
  <Group className={classes.screen}>
    <Button component={Link} to={`/vulns/${evidence.vulnerability.id}`} size="xs">
      See the vulnerability
    </Button>
    <Button size="xs" leftSection={<IconDownload size={16} aria-hidden />} onClick={() => saveEvidence(evidence)}>
      JSON
    </Button>
    <Button size="xs" leftSection={<IconPrinter size={16} aria-hidden />} onClick={() => window.print()}>
      Print or save as PDF
    </Button>
  </Group>
)

function Pack({ evidence }: { evidence: CraEvidence }) {
  const { organization, made_at, notice, clock, vulnerability, exploited_by } = evidence
  return (
    <article className={classes.pack}>
      <p className={classes.quiet}>
        Evidence of {organization}, made <Moment at={made_at} />. Times are in {nameZone(new Date(made_at))}. {notice}
      </p>
      <StageList clock={clock} />
      <h2>What is known</h2>
      <p>
        <VulnLink id={vulnerability.id} cveid={vulnerability.cveid} />: {vulnerability.summary}
      </p>
      <ul className={classes.list}>
        {exploited_by.map(({ name, added, notes, link }, at) => (
          <li key={at}>
            <OutLink href={link}>{name}</OutLink> lists it as exploited
            <Dated words=" since" at={added} />
            {notes && `: ${notes}`}
          </li>
        ))}
        {exploited_by.length === 0 && <li>No catalogue calls it exploited any more.</li>}
        <li>
          Published: <Timestamp at={vulnerability.published} />. CVSS 3: {vulnerability.cvss3 ?? 'n/a'}
          {vulnerability.cvss3_vector && ` (${vulnerability.cvss3_vector})`}. Weaknesses:{' '}
          {vulnerability.cwe_ids.join(', ') || 'n/a'}
        </li>
      </ul>
      <Affected evidence={evidence} />
      <h2>Measures</h2>
      <Lines nothing="Nothing was decided yet.">
        {evidence.measures.map(({ at, by, about, decision, reason }) => (
          <li key={`${at} ${about}`}>
            {about}: {decision}
            {reason && ` (${reason})`}
            <div className={classes.quiet}>
              <Moment at={at} />
              {by && `, ${by}`}
            </div>
          </li>
        ))}
      </Lines>
      <Timeline evidence={evidence} />
    </article>
  )
}

function Affected({ evidence }: { evidence: CraEvidence }) {
  const { components, components_count, uncompared, affected_versions } = evidence
  const nameSource = useSourceName()
  const more = components_count - components.length
  return (
    <>
      <h2>In your products</h2>
      <Lines nothing="No inventory of what you make has it now.">
        {[
          ...components.map(({ inventory, component, version, status, confidence, range, source, fixed_in }, at) => (
            <li key={at}>
              <strong>
                {component} {version}
              </strong>{' '}
              in {inventory}: {statusWords(status, confidence)}
              {range && `, ${speakRange(range)}`}
              {source && ` (${nameSource(source)})`}
              {fixed_in && `; fixed in ${fixed_in}`}
            </li>
          )),
          ...uncompared.map((text) => <li key={text}>{text}</li>),
        ]}
      </Lines>
      {more > 0 && <p className={classes.quiet}>and {formatCount(more)} more</p>}
      <h2>Affected versions</h2>
      <Lines nothing="No source names versions.">
        {affected_versions.map(({ vendor, name, versions, fixed }) => (
          <li key={`${vendor} ${name}`}>
            <strong>
              {vendor}: {name}
            </strong>{' '}
            {versions.join('; ') || 'versions not known'}
            {fixed.length > 0 && `; fixed in ${fixed.join(', ')}`}
          </li>
        ))}
      </Lines>
    </>
  )
}

function statusWords(status: string, confidence: string) {
  if (status !== 'affected' || confidence === 'name_only') return 'may be affected'
  return confidence === 'likely' ? 'likely affected' : 'affected'
}

const kindWords: Record<CraEvidence['timeline'][number]['kind'], string> = {
  history: 'History',
  exploited: 'Exploited',
  found: 'Found',
  decision: 'Decision',
  alert: 'Alert',
  report: 'Clock',
}

const Timeline = ({ evidence: { timeline } }: { evidence: CraEvidence }) => (
  <>
    <h2>Timeline</h2>
    <ol className={`${classes.list} ${classes.timeline}`}>
      {timeline.map(({ at, kind, text }, place) => (
        <li key={place}>
          <Timestamp at={at} withTime />
          <span className={classes.quiet}>{kindWords[kind]}</span>
          <span>{text}</span>
        </li>
      ))}
    </ol>
  </>
)

const Lines = ({ nothing, children }: { nothing: string; children: ReactNode[] }) =>
  children.length ? <ul className={classes.list}>{children}</ul> : <p className={classes.quiet}>{nothing}</p>
