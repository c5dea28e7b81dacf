import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { addVuln, editableVuln, editVuln } from '../../worker/editing/contract'
import type { VulnFormInput } from '../../worker/editing/contract'
import { ApiError, call } from '../lib/call'

export const editableQuery = (id: number) =>
  queryOptions({
    queryKey: ['vulns', 'edit', id],
    queryFn: ({ signal }) => call(editableVuln, { params: { id }, signal }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })

export type Edited = { id: number; modified: string | null }
const reasonOf = (error: Error) => (error instanceof ApiError ? (error.issues[0]?.message ?? error.message) : '')

export const saveVuln = mutationOptions({
  mutationFn: ({ edited, form }: { edited: Edited | undefined; form: VulnFormInput }) =>
    edited ? call(editVuln, { body: { ...form, ...edited } }) : call(addVuln, { body: form }),
  onSuccess: (_reply, _given, _result, { client }) => client.invalidateQueries({ queryKey: ['vulns'] }),
  meta: {
    success: 'Vulnerability successfuly saved.',
    failure: (error) => {
      const reason = reasonOf(error)
      return reason ? `Unable to save the vulnerability: ${reason}` : 'Unable to save the vulnerability'
    },
  },
})
