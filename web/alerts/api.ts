import { mutationOptions } from '@tanstack/react-query'
import { resendAllFailed, resendDelivery } from '../../worker/alerts/channels/contract'
import { acknowledge, listAlerts, whyAlerted, type AlertQuery } from '../../worker/alerts/contract'
import { checkProofs, exportProofsCsv, exportProofsJson, listProofs } from '../../worker/alerts/proof/contract'
import { act, askFor, askPage, change } from '../lib/ask'
import { call, callForFile } from '../lib/call'
import { saveFile } from '../lib/save-file'

export const alertsQuery = (query: AlertQuery) =>
  askPage(['alerts', 'list', query], listAlerts, { query }, 'Unable to get alerts')

export const whyQuery = (id: number) =>
  askFor(['alerts', 'why', id], whyAlerted, { params: { id } }, 'Unable to get the reason')

export const resendMutation = change([['alerts', 'list']], (id: number) => call(resendDelivery, { params: { id } }), {
  success: 'The alert is being sent again.',
  failure: 'Unable to send it again',
})

export const acknowledgeMutation = change([['alerts', 'list']], (id: number) => call(acknowledge, { body: { id } }), {
  success: 'Acknowledged.',
  failure: 'Unable to acknowledge the alert',
})

export const resendAllMutation = change([['alerts', 'list']], () => call(resendAllFailed), {
  success: 'All that failed is being sent again.',
  failure: 'Unable to send them again',
})

export const proofsQuery = askFor(['alerts', 'proofs'], listProofs, {}, 'Unable to get the proofs')

/** Of the newest sealed days; the API follows the chain further. */
const checkedDays = 35

export const checkProofsMutation = act(
  async () => {
    const checked = await call(checkProofs, { query: {} })
    for (let { next } = checked; next && checked.checked < checkedDays;) {
      const step = await call(checkProofs, { query: { before: next } })
      checked.checked += step.checked
      checked.broken.push(...step.broken)
      next = step.next
    }
    return checked
  },
  { failure: 'Unable to check the ledger' },
)

export const downloadProofMutation = mutationOptions({
  mutationFn: (format: 'csv' | 'json') => callForFile(format === 'csv' ? exportProofsCsv : exportProofsJson),
  onSuccess: (file, format) => saveFile(file, `earshot_alert_proofs.${format}`),
  meta: { failure: 'Unable to get the proofs' },
})
