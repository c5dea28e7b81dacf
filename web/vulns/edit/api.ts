import { queryOptions } from '@tanstack/react-query'
import { addVuln, editableVuln, editVuln } from '../../../worker/editing/contract'
import type { AddFormInput, VulnFormInput } from '../../../worker/editing/contract'
import { change } from '../../lib/ask'
import { ApiError, call } from '../../lib/call'

export const editableQuery = (id: number) =>
  queryOptions({
    queryKey: ['vulns', 'edit', id],
    queryFn: ({ signal }) => call(editableVuln, { params: { id }, signal }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })

export type Edited = { id: number; version: string | null }
const failureReason = (error: Error) => (error instanceof ApiError ? (error.issues[0]?.message ?? error.message) : '')
const success = 'Vulnerability successfuly saved.'

export const createVulnMutation = change([['vulns']], (form: AddFormInput) => call(addVuln, { body: form }), {
  success,
  failure: (error) => {
    const reason = failureReason(error)
    return reason ? `Unable to save the vulnerability: ${reason}` : 'Unable to save the vulnerability'
  },
})

export const updateVulnMutation = (edited: Edited) =>
  change(
    [['vulns']],
    async (form: VulnFormInput) => {
      await call(editVuln, { body: { ...form, ...edited } })
      return { status: 'success' as const, id: edited.id }
    },
    { success, failure: 'Unable to update the vulnerability.' },
  )
