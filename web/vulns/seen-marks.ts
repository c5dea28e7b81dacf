import { keepPreviousData, mutationOptions, queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { listMarks, markSeen } from '../../worker/triage/inbox-contract'
import type { VulnMarks } from '../../worker/triage/inbox-contract'
import { call } from '../lib/call'

type Marks = { results: VulnMarks[] }

export const marksQuery = (ids: number[]) =>
  queryOptions({
    queryKey: ['vulns', 'marks', ids],
    queryFn: ({ signal }) => call(listMarks, { query: { ids: ids.join() }, signal }),
    placeholderData: keepPreviousData,
    enabled: ids.length > 0,
  })

/** Shows at once; a mark that cannot be stored is not worth a notice. */
export const markSeenMutation = mutationOptions({
  mutationFn: (body: { ids: number[]; is_seen: boolean }) => call(markSeen, { body }),
  onSuccess: (_reply, { ids, is_seen }, _result, { client }) =>
    client.setQueriesData<Marks>({ queryKey: ['vulns', 'marks'] }, (marks) => marks && withSeen(marks, ids, is_seen)),
})

const withSeen = ({ results }: Marks, ids: number[], is_seen: boolean): Marks => ({
  results: results.map((one) => (ids.includes(one.id) ? { ...one, is_unread: !is_seen } : one)),
})

/** Whoever walks on sooner has not looked at it. */
const look_ms = 700

export function useSeen(id: number, isNews: boolean) {
  const { mutate } = useMutation(markSeenMutation)
  useEffect(() => {
    if (!isNews) return undefined
    const timer = setTimeout(() => mutate({ ids: [id], is_seen: true }), look_ms)
    return () => clearTimeout(timer)
  }, [id, isNews, mutate])
}

/** As it was when the page was opened, on whatever machine that look was: the look of now is kept after it is known. */
const lookQuery = (id: number) =>
  queryOptions({
    queryKey: ['looks', id],
    queryFn: async ({ signal }) =>
      (await call(listMarks, { query: { ids: String(id) }, signal })).results[0]?.seen_at ?? null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

/** When this user last looked at it before now: null for never, undefined while not known. */
export function useLastLook(id: number) {
  const { data } = useQuery(lookQuery(id))
  useSeen(id, data !== undefined)
  return data
}
