import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { use, useEffect, useRef, useState, type ReactNode } from 'react'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { AppLink } from '../../ui/app-link'
import { EmptyState } from '../../ui/empty-state'
import { FailedState } from '../../ui/failed-state'
import { ScoreBadge } from '../../ui/score-badge'
import { vulnQuery } from '../api'
import { AffectedCard } from '../detail/affected-card'
import { DecisionStrip } from '../detail/decision-strip'
import { MonitoredByCard } from '../detail/monitored-by-card'
import { LongText } from '../long-text'
import { ReferencesCard } from '../references-card'
import { useSeen } from '../seen-marks'
import classes from './inbox.module.css'
import { MarksContext } from './marks'

/** A row that is reached at leisure is loaded at once; rows passed by quickly are not. */
const settled_ms = 250

type Props = { id: number | undefined; bar: ReactNode }

export function Preview({ id, bar }: Props) {
  const settled = useSettled(id)
  const { data, error, refetch } = useQuery({ ...vulnQuery(settled ?? 0), enabled: settled !== undefined })
  if (id === undefined)
    return <EmptyState title="No row is chosen" text="j and k walk through the rows; ? shows what else the keys do." />
  if (error && data?.id !== id) return <FailedState title="Unable to get vuln details" query={{ error, refetch }} />
  return (
    <Stack className={classes.preview}>
      {bar}
      {data?.id === id && settled === id ? (
        <Shown key={id} vuln={data} />
      ) : (
        <Stack aria-busy>
          <Skeleton height={28} width="60%" />
          <Skeleton height={120} />
          <Skeleton height={180} />
        </Stack>
      )}
    </Stack>
  )
}

function useSettled(id: number | undefined) {
  const [settled, setSettled] = useState(id)
  const changed_at = useRef(0)
  useEffect(() => {
    const isQuick = performance.now() - changed_at.current < settled_ms
    changed_at.current = performance.now()
    const timer = setTimeout(() => setSettled(id), isQuick ? settled_ms : 0)
    return () => clearTimeout(timer)
  }, [id])
  return settled
}

function Shown({ vuln }: { vuln: VulnDetail }) {
  const { id, known_as, title, summary, references, state } = vuln
  useSeen(id, useIsNews(id))
  return (
    <>
      <div className={classes.previewHead}>
        <ScoreBadge of={vuln} />
        <AppLink to={`/vulns/${id}`} fw={600}>
          {known_as}
        </AppLink>
        <span className={classes.quiet}>PH-{id}</span>
      </div>
      {state !== 'rejected' && <DecisionStrip vuln={vuln} />}
      {title && <b>{title}</b>}
      <LongText text={summary || 'No summary.'} />
      <MonitoredByCard vuln={vuln} />
      <AffectedCard vuln={vuln} />
      <ReferencesCard references={references} makers={vuln.products.flatMap(({ vendor, name }) => [vendor, name])} />
    </>
  )
}

/** Whether the row was unread when it appeared; marking it as unread again keeps it so until it is shown again. */
function useIsNews(id: number) {
  const mark = use(MarksContext).get(id)
  const [isNews, setNews] = useState(mark?.is_unread)
  if (mark && isNews === undefined) setNews(mark.is_unread)
  return isNews ?? false
}
