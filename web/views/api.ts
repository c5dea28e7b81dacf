import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { createView, listViews, removeView, updateView } from '../../worker/views/contract'
import { call } from '../lib/call'

export const viewsQuery = () =>
  queryOptions({
    queryKey: ['views'],
    queryFn: ({ signal }) => call(listViews, { signal }),
    meta: { failure: 'Unable to get the saved views' },
  })

const refresh = (client: QueryClient) => client.invalidateQueries({ queryKey: ['views'] })

export const createViewMutation = mutationOptions({
  mutationFn: (body: { name: string; query: string; is_shared: boolean }) => call(createView, { body }),
  onSuccess: (_view, _given, _result, { client }) => refresh(client),
  meta: { success: 'View saved.', failure: 'Unable to save the view' },
})

export const updateViewMutation = mutationOptions({
  mutationFn: ({ id, ...body }: { id: number; name?: string; query?: string; is_shared?: boolean }) =>
    call(updateView, { params: { id }, body }),
  onSuccess: (_view, _given, _result, { client }) => refresh(client),
  meta: { success: 'View saved.', failure: 'Unable to save the view' },
})

export const removeViewMutation = mutationOptions({
  mutationFn: (id: number) => call(removeView, { params: { id } }),
  onSuccess: (_reply, _id, _result, { client }) => refresh(client),
  meta: { success: 'View removed.', failure: 'Unable to remove the view' },
})
