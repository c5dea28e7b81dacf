import { mutationOptions, type QueryClient } from '@tanstack/react-query'
import { editCraClock, getCraEvidence, listCraClocks, noteCraReport, removeCraReport } from '../../worker/cra/contract'
import type { CraClockQueryInput, CraEvidence } from '../../worker/cra/contract'
import { type CraMark, craStageNames } from '../../worker/domain/decisions/cra'
import { askFor, askPage, change } from '../lib/ask'
import { call } from '../lib/call'
import { showFailure } from '../lib/query-client'
import { saveJson } from '../lib/save-file'
import { showUndo } from '../ui/undo-notice'
import { nameVuln } from '../lib/format'

export const craClocksQuery = (query: CraClockQueryInput) =>
  askPage(['cra', 'list', query], listCraClocks, { query }, 'Unable to get the CRA clocks')

export const craEvidenceQuery = (id: number) => askFor(['cra', 'evidence', id], getCraEvidence, { params: { id } })

export const markNames = { ...craStageNames, not_needed: 'No report needed' }

const refresh = (client: QueryClient) => client.invalidateQueries({ queryKey: ['cra'] })

type Noted = { id: number; mark: CraMark; done_at?: string; note: string }

const noteReport = ({ id, mark, ...body }: Noted) => call(noteCraReport, { params: { id, mark }, body })
const takeBack = ({ id, mark }: { id: number; mark: CraMark }) => call(removeCraReport, { params: { id, mark } })

async function undo(client: QueryClient, makeChange: () => Promise<unknown>) {
  try {
    await makeChange()
    await refresh(client)
  } catch (error) {
    if (error instanceof Error) showFailure(error, 'Unable to undo it')
  }
}

export const noteReportMutation = mutationOptions({
  mutationFn: noteReport,
  onSuccess: (_clock, noted, _result, { client }) => {
    showUndo(`${markNames[noted.mark]}: noted.`, () => void undo(client, () => takeBack(noted)))
    return refresh(client)
  },
  meta: { failure: 'Unable to note the report' },
})

export const takeReportBackMutation = mutationOptions({
  mutationFn: takeBack,
  onSuccess: (_answer, noted: Noted, _result, { client }) => {
    showUndo(`${markNames[noted.mark]}: taken back.`, () => void undo(client, () => noteReport(noted)))
    return refresh(client)
  },
  meta: { failure: 'Unable to take the note back' },
})

type Times = { id: number; aware_at: string; fix_at?: string | null }

export const editClockMutation = change(
  [['cra']],
  ({ id, ...body }: Times) => call(editCraClock, { params: { id }, body }),
  { success: 'The deadlines follow.', failure: 'Unable to change the times' },
)

export function saveEvidence(evidence: CraEvidence) {
  const name = nameVuln(evidence.vulnerability.id, evidence.vulnerability.cveid)
  saveJson(evidence, `${name}-cra-evidence.json`)
}
