import { keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query'
import { resendAllFailed, resendDelivery } from '../../worker/alerts/channels/contract'
import { acknowledge, listAlerts, whyAlerted } from '../../worker/alerts/contract'
import type { AlertQuery } from '../../worker/alerts/contract'
import { checkProofs, exportProofsCsv, exportProofsJson, listProofs } from '../../worker/alerts/proof/contract'
import { call, callForFile } from '../lib/call'
import { saveFile } from '../lib/save-file'

export const alertsQuery = (query: AlertQuery) =>
  queryOptions({
    queryKey: ['alerts', 'list', query],
    queryFn: ({ signal }) => call(listAlerts, { query, signal }),
    placeholderData: keepPreviousData,
    meta: { failure: 'Unable to get alerts' },
  })

export const whyQuery = (id: number) =>
  queryOptions({
    queryKey: ['alerts', 'why', id],
    queryFn: ({ signal }) => call(whyAlerted, { params: { id }, signal }),
    meta: { failure: 'Unable to get the reason' },
  })

export const resendMutation = mutationOptions({
  mutationFn: (id: number) => call(resendDelivery, { params: { id } }),
  onSuccess: (_reply, _id, _result, { client }) => client.invalidateQueries({ queryKey: ['alerts', 'list'] }),
  meta: { success: 'The alert is being sent again.', failure: 'Unable to send it again' },
})

export const acknowledgeMutation = mutationOptions({
  mutationFn: (id: number) => call(acknowledge, { body: { id } }),
  onSuccess: (_reply, _id, _result, { client }) => client.invalidateQueries({ queryKey: ['alerts', 'list'] }),
  meta: { success: 'Acknowledged.', failure: 'Unable to acknowledge the alert' },
})

export const resendAllMutation = mutationOptions({
  mutationFn: () => call(resendAllFailed),
  onSuccess: (_reply, _given, _result, { client }) => client.invalidateQueries({ queryKey: ['alerts', 'list'] }),
  meta: { success: 'All that failed is being sent again.', failure: 'Unable to send them again' },
})

export const proofsQuery = queryOptions({
  queryKey: ['alerts', 'proofs'],
  queryFn: ({ signal }) => call(listProofs, { signal }),
  meta: { failure: 'Unable to get the proofs' },
})

/** Of the newest sealed days; the API follows the chain further. */
const checkedDays = 35

export const checkProofsMutation = mutationOptions({
  mutationFn: async () => {
    const checked = await call(checkProofs, { query: {} })
    for (let { next } = checked; next && checked.checked < checkedDays;) {
      const step = await call(checkProofs, { query: { before: next } })
      checked.checked += step.checked
      checked.broken.push(...step.broken)
      next = step.next
    }
    return checked
  },
  meta: { failure: 'Unable to check the ledger' },
})

export const downloadProofMutation = mutationOptions({
  mutationFn: (format: 'csv' | 'json') => callForFile(format === 'csv' ? exportProofsCsv : exportProofsJson),
  onSuccess: (file, format) => saveFile(file, `earshot_alert_proofs.${format}`),
  meta: { failure: 'Unable to get the proofs' },
})
