import { Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy } from 'react'
import { Navigate, useLocation, useParams } from 'react-router-dom'
import { hasFormOfId, isCveId } from '../../../worker/domain/names/cve'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { itemName } from '../../../worker/domain/names/product'
import { joinSome } from '../../../worker/domain/words/short-lists'
import { counterQuery } from '../../exploits/api'
import { ExploitTab } from '../../exploits/exploit-tab'
import { ThreatTab } from '../../exploits/threat-tab'
import { formatCount } from '../../lib/format'
import { readId, useIdParam } from '../../lib/id-param'
import { isNotFound } from '../../lib/not-found'
import { FailedState } from '../../ui/failed-state'
import { Later } from '../../ui/later'
import { LazyPart } from '../../ui/lazy-part'
import { MissingState } from '../../ui/missing-state'
import { Page } from '../../ui/page'
import { targetQuery, vulnQuery } from '../api'
import { useLastLook } from '../seen-marks'
import { CommentsTab } from './comments-tab'
import { DecideButton, QuickActions, StatusSelect } from './decide-action'
import { DecisionStrip } from './decision-strip'
import { RecordsTab } from './records-tab'
import { SummaryTab } from './summary-tab'
import { commentsQuery } from './api'
import { VulnActions } from './vuln-actions'
import { WatchToggle } from '../../watchlist/watch-toggle'
import { StateMark } from '../../ui/state-mark'
import { UrlTabs } from '../../ui/url-tabs'
import { FamousNames } from '../vuln-cells'
import classes from '../vuln-detail.module.css'
import { ensure, type Place } from '../../lib/ensure'

/** A failing load of this tab leaves the page as it is. */
const HistoryTab = lazy(() =>
  import('./history-tab').then(
    (file) => ({ default: file.HistoryTab }),
    (error: Error) => ({ default: () => <FailedState query={{ error, refetch: () => location.reload() }} /> }),
  ),
)

export async function startVuln({ params: { id: name = '' } }: Place) {
  const id = readId(name) ?? (hasFormOfId(name) ? await findNamed(name) : undefined)
  if (id !== undefined) await ensure(vulnQuery(id))
}

async function findNamed(name: string) {
  const target = await ensure(targetQuery(name))
  return target?.type === 'vuln' ? target.id : undefined
}

export function VulnPage() {
  const id = useIdParam()
  const { id: name = '' } = useParams()
  if (id !== undefined) return <Vuln id={id} />
  return hasFormOfId(name) ? <NamedVuln name={name} /> : <NoVuln />
}

/** An address with a CVE id, an id of an advisory or PH-12 leads to the vulnerability that it names. */
function NamedVuln({ name }: { name: string }) {
  const { search } = useLocation()
  const { data: target, error, isPending, refetch } = useQuery(targetQuery(name))
  if (isPending) return <Waiting />
  if (error)
    return (
      <Page title={name}>
        <FailedState title="Unable to get vuln details" query={{ error, refetch }} />
      </Page>
    )
  // The search offers to monitor a CVE that no source has named yet.
  if (target?.type !== 'vuln')
    return isCveId(name.toUpperCase()) ? <Navigate to={`/search/${name.toUpperCase()}`} replace /> : <NoVuln />
  // The address changes when the record has loaded, which may take a moment.
  return (
    <>
      <Navigate to={`/vulns/${target.id}${search}`} replace />
      <Waiting />
    </>
  )
}

const NoVuln = () => <MissingState title="Vulnerability not found" to="/vulns" label="All vulnerabilities" />

function Vuln({ id }: { id: number }) {
  const { data: vuln, error, refetch } = useQuery(vulnQuery(id))
  const isLost = error !== null && !vuln
  const name = knownAs(vuln)

  if (isNotFound(error)) return <NoVuln />
  return (
    <Page
      title={name ? `PH-${id} ${name}` : `PH-${id}`}
      heading={isLost ? undefined : <VulnHeading id={id} vuln={vuln} />}
      actions={vuln ? <Actions vuln={vuln} /> : !isLost && <Skeleton h={{ base: 68, xs: 30 }} w={330} radius="xl" />}
    >
      {isLost && <FailedState title="Unable to get vuln details" query={{ error, refetch }} />}
      {!isLost && !vuln && <Waiting />}
      {vuln && vuln.state !== 'rejected' && (
        <DecisionStrip vuln={vuln}>
          <QuickActions vuln={vuln} />
        </DecisionStrip>
      )}
      {!isLost && (
        <Later when={vuln !== undefined}>
          <VulnTabs id={id} vuln={vuln} />
        </Later>
      )}
    </Page>
  )
}

const Actions = ({ vuln }: { vuln: VulnDetail }) => (
  <div className={classes.actions}>
    <VulnToggle vuln={vuln} />
    <StatusSelect vuln={vuln} />
    <DecideButton vuln={vuln} />
    <VulnActions vuln={vuln} />
  </div>
)

function VulnTabs({ id, vuln }: { id: number; vuln: VulnDetail | undefined }) {
  const { data: counter, isPending } = useQuery(counterQuery(id))
  const { data: comments } = useQuery(commentsQuery(id))
  const lastLook = useLastLook(id)
  const isNewer = vuln !== undefined && Boolean(lastLook) && vuln.updated_at > (lastLook ?? '')
  const found = (count?: number) => (isPending ? ' (…)' : inBrackets(count))
  const history = (
    <LazyPart fallback={<Waiting />}>
      <HistoryTab id={id} vuln={vuln} lastLook={lastLook ?? null} />
    </LazyPart>
  )
  const tabs = [
    { key: 'summary', label: 'Summary', content: vuln && <SummaryTab vuln={vuln} /> },
    { key: 'exploits', label: `Exploits${found(counter?.count_exploit)}`, content: <ExploitTab vuln_id={id} /> },
    { key: 'threats', label: `Threat activities${found(counter?.count_threat)}`, content: <ThreatTab vuln_id={id} /> },
    {
      key: 'comments',
      label: `Comments${inBrackets(comments?.count || undefined)}`,
      content: <CommentsTab id={id} />,
    },
    {
      key: 'history',
      label: <>History{isNewer && <strong> · changed since you looked</strong>}</>,
      content: history,
    },
    { key: 'records', label: 'Records', content: <RecordsTab id={id} /> },
  ]
  return <UrlTabs tabs={tabs} replace />
}

const inBrackets = (count: number | undefined) => (count === undefined ? '' : ` (${formatCount(count)})`)

const Waiting = () => (
  // As high as the window, so that the footer does not appear first.
  <Stack gap="md" aria-busy mih="100vh">
    <Skeleton height={96} />
    <Skeleton height={220} />
    <Skeleton height={320} />
  </Stack>
)

/** A vulnerability that is monitored through a product or a vendor can only be switched off there. */
function VulnToggle({ vuln }: { vuln: VulnDetail }) {
  const { id, monitored, monitored_by } = vuln
  const isIndirect = monitored && monitored_by.length > 0 && monitored_by.every(({ via }) => via !== 'vuln')
  return (
    <div className={classes.toggle}>
      {isIndirect && (
        <Text size="xs" c="dimmed" truncate title={`through ${describe(monitored_by)}`}>
          through {describe(monitored_by)}
        </Text>
      )}
      <WatchToggle kind="vuln" item={vuln} inWords name={`PH-${id}`} isDisabled={isIndirect} />
    </div>
  )
}

const shownNames = 3

const describe = (monitored_by: VulnDetail['monitored_by']) => joinSome(monitored_by.map(itemName), shownNames)

type Props = { id: number; vuln: VulnDetail | undefined }

const knownAs = (vuln: VulnDetail | undefined) => vuln?.cveid ?? vuln?.aliases[0]

function VulnHeading({ id, vuln }: Props) {
  const name = knownAs(vuln)
  return (
    <span className={classes.heading}>
      <span className={classes.ph}>PH-{id}</span>
      {!vuln && <Skeleton component="span" display="inline-block" height="1em" width="8.5em" />}
      {name && <span>{name}</span>}
      {vuln && <FamousNames cveid={vuln.cveid} />}
      {vuln && <StateMark state={vuln.state} />}
    </span>
  )
}
