import { mutationOptions, queryOptions, type QueryClient } from '@tanstack/react-query'
import {
  addComment,
  changeComment,
  exportVuln,
  listComments,
  removeComment,
  sendVuln,
  statusHistory,
  testVersion,
  vulnEpss,
  vulnRecordList,
} from '../../../worker/triage/contract'
import { askFor } from '../../lib/ask'
import { call } from '../../lib/call'
import { partOfVuln } from '../../lib/not-found'
import { saveJson } from '../../lib/save-file'

export const statusQuery = (id: number) => askFor(['vulns', 'status', id], statusHistory, { params: { id } })

export const commentsQuery = (id: number) => ({
  ...askFor(['vulns', 'comments', id], listComments, { params: { id } }),
  meta: partOfVuln(id, 'unable to get comment'),
})

const refreshComments = (client: QueryClient) => client.invalidateQueries({ queryKey: ['vulns', 'comments'] })
const commentMeta = { success: 'Comment successfuly modified.', failure: 'Unable to modify the comment.' }
const changesComment = {
  // After a failure as well: somebody else may have changed it.
  onSettled: (...[, , , , { client }]: [unknown, unknown, unknown, unknown, { client: QueryClient }]) =>
    refreshComments(client),
  meta: commentMeta,
}

export const createCommentMutation = mutationOptions({
  mutationFn: ({ id, body }: { id: number; body: string }) => call(addComment, { params: { id }, body: { body } }),
  onSuccess: (_reply, _given, _result, { client }) => refreshComments(client),
  meta: commentMeta,
})

type Edit = { id: number; comment_id: number; body: string; updated_at: string | null }
export const updateCommentMutation = mutationOptions({
  mutationFn: ({ id, comment_id, ...body }: Edit) => call(changeComment, { params: { id, comment_id }, body }),
  ...changesComment,
})

export const removeCommentMutation = mutationOptions({
  mutationFn: (params: { id: number; comment_id: number }) => call(removeComment, { params }),
  ...changesComment,
})

export const recordsQuery = (id: number) => askFor(['vulns', 'records', id], vulnRecordList, { params: { id } })

export const epssQuery = (id: number) => askFor(['vulns', 'epss', id], vulnEpss, { params: { id } })

export type Tested = { version: string; product?: number; package?: number }
export const testedQuery = (id: number, tested: Tested | null) =>
  queryOptions({
    queryKey: ['vulns', 'tested', id, tested],
    queryFn: ({ signal }) => call(testVersion, { params: { id }, query: tested ?? { version: '' }, signal }),
    enabled: tested !== null,
  })

export const sendDetailsMutation = mutationOptions({
  mutationFn: ({ id, emails }: { id: number; emails: string }) => call(sendVuln, { params: { id }, body: { emails } }),
  meta: {
    success: 'Vulnerability details successfuly sent by mail.',
    failure: 'Unable to send vulnerability details.',
  },
})

export const downloadDetailsMutation = mutationOptions({
  mutationFn: (id: number) => call(exportVuln, { params: { id } }),
  onSuccess: (details, id) => saveJson(details, `hears_vuln_${id}.json`),
  meta: { success: 'Vulnerability details available.', failure: 'Unable to download vulnerability details.' },
})
