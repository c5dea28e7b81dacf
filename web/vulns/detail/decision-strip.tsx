import type { ReactNode } from 'react'
import { IconAlertTriangle, IconBug, IconCheck, IconCircleCheck, IconEyePlus, IconHelp } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import {
  decide,
  exploitationWords,
  fixVersions,
  shownFixes,
  unstatedFix,
} from '../../../worker/domain/decisions/decision'
import { decideRunning, listUnfixed, putOwnFirst, runWords } from '../../../worker/domain/decisions/running'
import { siteName } from '../../../worker/domain/decisions/sites'
import { joinSome } from '../../../worker/domain/words/short-lists'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { isPast } from '../../lib/format'
import { OutLink } from '../../ui/app-link'
import { Mark } from '../../ui/mark'
import classes from './decision-strip.module.css'
import { statusLabels } from '../../lib/status-labels'
import { FailedLine } from '../../ui/failed-line'
import { setMonitoredMutation } from '../../watchlist/api'
import { decideMutation } from '../../decisions/api'
import { statusQuery } from './api'
import { WriteButton } from '../../session/write-button'

const alarm = { tone: 'alarm', icon: IconAlertTriangle } as const
const unknown = { tone: 'quiet', icon: IconHelp } as const
const exploitationFaces = {
  ransomware: alarm,
  exploited: alarm,
  public: { tone: 'warning', icon: IconBug },
  none: unknown,
} as const
const runFaces = {
  yes: alarm,
  likely: { tone: 'warning', icon: IconAlertTriangle },
  no: { tone: 'calm', icon: IconCircleCheck },
  unlisted: unknown,
  unknown,
} as const
const shownItems = 3

export function DecisionStrip({ vuln, children }: { vuln: VulnDetail; children?: ReactNode }) {
  const { name, exploitation, fixes, upgrades, due, link } = decide(vuln)
  return (
    <section className={classes.strip} aria-label="Decision">
      <h2 className={classes.name}>{name}</h2>
      <div className={classes.action}>
        <DecisionButton vuln={vuln} />
        {children}
      </div>
      <dl className={classes.facts}>
        <Part label="Exploitation">
          <Mark {...exploitationFaces[exploitation]}>{exploitationWords[exploitation]}</Mark>
        </Part>
        <Part label="Do you run it?">
          <RunAnswerPart vuln={vuln} />
        </Part>
        <Part label={upgrades.length ? 'Fixed in' : 'Upgrade to'}>
          <FixesPart vuln={vuln} fixes={fixes} />
        </Part>
        {upgrades.length > 0 && (
          <Part label="Upgrade to">
            {upgrades.map((text) => (
              <b key={text} className={classes.line}>
                {text}
              </b>
            ))}
          </Part>
        )}
        {due && (
          <Part label={due.label}>
            <b>{due.when}</b>
            {due.day && isPast(`${due.day}T23:59:59Z`) && <span className={classes.quiet}> passed</span>}
            {due.why && <span className={classes.line}>{due.why}</span>}
            {due.unsure && <span className={classes.quiet}>{due.unsure}</span>}
          </Part>
        )}
        {link && (
          <Part label={link.kind}>
            <OutLink href={link.url}>{siteName(link.url)}</OutLink>
          </Part>
        )}
      </dl>
    </section>
  )
}

const Part = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className={classes.part}>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
)

function FixesPart({ vuln, fixes }: { vuln: VulnDetail; fixes: ReturnType<typeof decide>['fixes'] }) {
  if (fixes.length === 0) return 'No source names a fixed version'
  const unfixed = listUnfixed(vuln.runs)
  return (
    <>
      {unfixed.length > 0 && (
        <span className={classes.line}>
          <span className={classes.quiet}>{joinSome(unfixed, shownItems)}</span> <b>no fix is named</b>
        </span>
      )}
      {fixes.slice(0, shownFixes).map((fix) => (
        <span key={fix.name} className={classes.line}>
          <span className={classes.quiet}>{fix.name}</span>{' '}
          <b>{fixVersions({ ...fix, versions: putOwnFirst(fix.versions, vuln.runs) })}</b>
          {!fix.isStated && <span className={classes.quiet}> {unstatedFix}</span>}
        </span>
      ))}
      {fixes.length > shownFixes && <span className={classes.quiet}>and {fixes.length - shownFixes} more</span>}
    </>
  )
}

function RunAnswerPart({ vuln }: { vuln: VulnDetail }) {
  const { answer, items } = decideRunning(vuln)
  return (
    <>
      <Mark {...runFaces[answer]}>{runWords[answer]}</Mark>
      <span className={classes.items}>
        {joinSome(items, shownItems)}
        {items.length === 0 && (
          <span className={classes.quiet}>No source names a product or package that you monitor</span>
        )}
      </span>
    </>
  )
}

export function DecisionButton({ vuln: { id, monitored } }: { vuln: VulnDetail }) {
  const query = useQuery(statusQuery(id))
  const { data } = query
  const monitor = useMutation(setMonitoredMutation('vuln'))
  const status = useMutation(decideMutation)
  if (!monitored)
    return (
      <WriteButton
        variant="filled"
        size="xs"
        loading={monitor.isPending}
        leftSection={<IconEyePlus size={16} aria-hidden />}
        onClick={() => monitor.mutate({ ids: [id], monitored: true })}
      >
        Monitor
      </WriteButton>
    )
  if (query.error) return <FailedLine text="The status could not be loaded." query={query} />
  if (!data) return null
  const step = data.status === 'undefined' ? acknowledge : data.status === 'in_progress' ? finish : undefined
  if (!step) return <Mark tone="calm">{statusLabels[data.status]}</Mark>
  return (
    <WriteButton
      variant="filled"
      size="xs"
      loading={status.isPending}
      leftSection={<IconCheck size={16} aria-hidden />}
      onClick={() => status.mutate({ scope: 'vulnerability', ids: [id], decision: { status: step.status } })}
    >
      {step.label}
    </WriteButton>
  )
}

const acknowledge = { label: 'Acknowledge', status: 'in_progress' } as const
const finish = { label: 'Mark as fixed', status: 'fixed' } as const
