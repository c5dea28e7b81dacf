import { Button, Group } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { craStageNames, type CraMark } from '../../worker/domain/decisions/cra'
import type { CraClock, CraReport } from '../../worker/cra/contract'
import { takeReportBackMutation } from './api'
import { Left, Moment } from './clock-columns'
import classes from './cra.module.css'
import { ReportDialog, TimesDialog } from './report-dialog'
import { WriteButton } from '../session/write-button'

/** The deadlines and reports of a clock. */
export function StageList({ clock }: { clock: CraClock }) {
  const [noting, setNoting] = useState<CraMark | null>(null)
  const [isEditing, setIsEditing] = useState(false)
  const { vuln_id, aware_at, fix_at, is_fix_stated, is_done, stages, not_needed } = clock
  return (
    <section aria-label="Reports">
      <p>
        You knew since <Moment at={aware_at} />.{' '}
        {fix_at === null ? (
          'No source of a finding names a fixed version yet.'
        ) : (
          <>
            A fix is available since <Moment at={fix_at} />
          </>
        )}
        {fix_at !== null && (is_fix_stated ? ', as you say.' : ', as a source of a finding names a fixed version.')}
      </p>
      <ul className={classes.stages}>
        {stages.map((stage) => (
          <Stage key={stage.stage} clock={clock} of={stage} onNote={setNoting} />
        ))}
        {not_needed && (
          <li className={classes.stage}>
            <h2>No report needed</h2>
            <Reported id={vuln_id} mark="not_needed" report={not_needed} due={null} />
          </li>
        )}
      </ul>
      <Group mt="sm" className={classes.screen}>
        <WriteButton size="xs" onClick={() => setIsEditing(true)}>
          Change the times
        </WriteButton>
        {!is_done && (
          <WriteButton size="xs" onClick={() => setNoting('not_needed')}>
            No report needed
          </WriteButton>
        )}
      </Group>
      {noting && <ReportDialog id={vuln_id} mark={noting} onClose={() => setNoting(null)} />}
      {isEditing && <TimesDialog clock={clock} onClose={() => setIsEditing(false)} />}
    </section>
  )
}

type StageProps = { clock: CraClock; of: CraClock['stages'][number]; onNote: (stage: CraMark) => void }

function Stage({ clock: { vuln_id, not_needed }, of: { stage, due, report }, onNote }: StageProps) {
  const isOpen = !report && !not_needed
  return (
    <li className={classes.stage}>
      <h2>{craStageNames[stage]}</h2>
      {due === null ? (
        <span>Due 14 days after a fix</span>
      ) : (
        <span>
          Due <Moment at={due} />
        </span>
      )}
      {isOpen && due !== null && <Left due={due} />}
      {report && <Reported id={vuln_id} mark={stage} report={report} due={due} />}
      {isOpen && (
        <WriteButton size="xs" className={classes.screen} onClick={() => onNote(stage)}>
          Note as made
        </WriteButton>
      )}
    </li>
  )
}

type Props = { id: number; mark: CraMark; report: CraReport; due: string | null }

function Reported({ id, mark, report, due }: Props) {
  const back = useMutation(takeReportBackMutation)
  const { done_at, by, note } = report
  const isLate = due !== null && done_at > due
  return (
    <>
      <span>
        {mark === 'not_needed' ? 'Decided' : 'Made'} <Moment at={done_at} />
        {isLate && ', late'}
        {by && `, noted by ${by}`}
      </span>
      {note && <span className={classes.quiet}>{note}</span>}
      <Button
        size="xs"
        variant="subtle"
        className={classes.screen}
        loading={back.isPending}
        onClick={() => back.mutate({ id, mark, done_at, note })}
      >
        Take back
      </Button>
    </>
  )
}
