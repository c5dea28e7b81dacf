import { Button, Group } from '@mantine/core'
import { IconRestore } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useLayoutEffect } from 'react'
import { useSearchParams } from 'react-router-dom'
import type { RatingCode } from '../../worker/domain/scores/rating-vector'
import { CopyField } from '../ui/copy-field'
import { FailedLine } from '../ui/failed-line'
import { FailedState } from '../ui/failed-state'
import { HelpLink } from '../ui/help-link'
import { Page } from '../ui/page'
import { vectorQuery, weightsQuery } from './api'
import { MetricGroup } from './metric-group'
import { RatedVuln } from './rated-vuln'
import { RatingScores, WrongVector } from './rating-scores'
import { openVector, setMetric, useRating } from './rating-state'
import classes from './rating.module.css'
import { ensure } from '../lib/ensure'

export const startRating = () => ensure(weightsQuery)

export function RatingPage() {
  const { vuln_id, given, write } = useAddress()
  const { metrics, wrong, vector, rating } = useRating()
  const { data: weights, error, isPending, refetch } = useQuery(weightsQuery)
  const stored = useStoredVector(given === null ? vuln_id : undefined, write)
  useLayoutEffect(() => openVector(given), [given])

  const change = (code: RatingCode, value: string | undefined) => write(setMetric(code, value))
  const state = { metrics, weights, onChange: change }
  return (
    <Page
      title="Ratings"
      actions={
        <Group>
          <ResetButton onReset={() => write(null)} />
          <HelpLink topic="scores" about="what a score is made of" />
        </Group>
      }
    >
      <WrongVector wrong={wrong} />
      <div className={classes.builder}>
        <div className={classes.side}>
          <RatingScores rating={rating} />
          {vuln_id !== undefined && <RatedVuln id={vuln_id} metrics={metrics} vector={vector} onOpen={write} />}
        </div>
        <div className={classes.groups} data-waiting={isPending || undefined}>
          {error && !weights && <FailedState title="unable to get metrics values" query={{ error, refetch }} />}
          <FailedLine text={`The vector of PH-${vuln_id} could not be loaded: this is the default.`} query={stored} />
          <CopyField label="Vector" value={vector} />
          <MetricGroup title="Vulnerability" group="vulnerability" {...state} />
          <MetricGroup title="Threat" group="threat" {...state} />
          <MetricGroup title="Asset" group="asset" {...state} />
        </div>
      </div>
    </Page>
  )
}

const ResetButton = ({ onReset }: { onReset: () => void }) => (
  <Group>
    <Button size="xs" leftSection={<IconRestore size={14} aria-hidden />} onClick={onReset}>
      Reset
    </Button>
  </Group>
)

/** Both come from the address. */
function useAddress() {
  const [params, setParams] = useSearchParams()
  const id = params.get('vuln') ?? ''
  const write = (vector: string | null) =>
    setParams(
      (current) => {
        const next = new URLSearchParams(current)
        if (vector === null) for (const name of ['vector', 'vuln']) next.delete(name)
        else next.set('vector', vector)
        return next
      },
      { replace: true, preventScrollReset: true },
    )
  return { vuln_id: /^[1-9]\d{0,14}$/.test(id) ? Number(id) : undefined, given: params.get('vector'), write }
}

/** Completes an address that names only a vulnerability. */
function useStoredVector(vuln_id: number | undefined, write: (vector: string) => void) {
  const query = useQuery({ ...vectorQuery(vuln_id ?? 0), enabled: vuln_id !== undefined })
  const vector = vuln_id === undefined ? null : query.data?.vector
  useEffect(() => {
    if (vector) write(vector)
    // oxlint-disable-next-line react/exhaustive-deps
  }, [vector])
  return { error: vuln_id === undefined ? null : query.error, refetch: query.refetch }
}
