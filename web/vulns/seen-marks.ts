import {
  keepPreviousData,
  mutationOptions,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { VulnStatus } from '../../worker/domain/decisions/status'
import { listMarks, markSeen, type VulnMarks } from '../../worker/triage/inbox-contract'
import { call } from '../lib/call'
import { useReadOnly } from '../session/known-org'

type Marks = { results: VulnMarks[] }
const marksKey = ['vulns', 'marks']

export const marksQuery = (ids: number[]) =>
  queryOptions({
    queryKey: [...marksKey, ids],
    queryFn: ({ signal }) => call(listMarks, { query: { ids: ids.join() }, signal }),
    placeholderData: keepPreviousData,
    enabled: ids.length > 0,
  })

/** Updates the screen at once; a failure is not worth a notice. */
export const markSeenMutation = mutationOptions({
  mutationFn: (body: { ids: number[]; is_seen: boolean }) => call(markSeen, { body }),
  onSuccess: (_reply, { ids, is_seen }, _result, { client }) =>
    client.setQueriesData<Marks>(
      { queryKey: marksKey },
      (marks) => marks && withPatch(marks, ids, { is_unread: !is_seen }),
    ),
})

/** Shows statuses before the worker has answered, and those of before again where it did not take them. */
export function useEarlyStatus() {
  const client = useQueryClient()
  const before = useRef(new Map<number, VulnStatus>())
  const show = (ids: number[], status: VulnStatus) =>
    client.setQueriesData<Marks>({ queryKey: marksKey }, (marks) => marks && withPatch(marks, ids, { status }))
  return {
    show: (ids: number[], status: VulnStatus) => {
      const shown = client.getQueriesData<Marks>({ queryKey: marksKey }).flatMap(([, marks]) => marks?.results ?? [])
      for (const { id, status: former } of shown)
        if (ids.includes(id) && !before.current.has(id)) before.current.set(id, former)
      show(ids, status)
    },
    takeBack: (ids: number[]) => {
      for (const id of ids) show([id], before.current.get(id) ?? 'undefined')
    },
    settle: () => before.current.clear(),
  }
}

const withPatch = ({ results }: Marks, ids: number[], patch: Partial<VulnMarks>): Marks => ({
  results: results.map((mark) => (ids.includes(mark.id) ? { ...mark, ...patch } : mark)),
})

/** A shorter stay does not count as a look. */
const look_ms = 700

export function useSeen(id: number, isNews: boolean) {
  const { mutate } = useMutation(markSeenMutation)
  const { disabled: isHeld } = useReadOnly()
  useEffect(() => {
    if (!isNews || isHeld) return undefined
    const timer = setTimeout(() => mutate({ ids: [id], is_seen: true }), look_ms)
    return () => clearTimeout(timer)
  }, [id, isNews, isHeld, mutate])
}

/** The last look before this one, on any machine: we store the present look only after we know it. */
const lookQuery = (id: number) =>
  queryOptions({
    queryKey: ['looks', id],
    queryFn: async ({ client }) =>
      (await client.fetchQuery({ ...marksQuery([id]), staleTime: 0 })).results[0]?.seen_at ?? null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

/** When this user last looked at it before now: null for never, undefined while loading. */
export function useLastLook(id: number) {
  const { data } = useQuery(lookQuery(id))
  useSeen(id, data !== undefined)
  return data
}
