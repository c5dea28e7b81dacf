import { createView, listViews, removeView, updateView } from '../../worker/views/contract'
import { askFor, change } from '../lib/ask'
import { call } from '../lib/call'

export const viewsQuery = () => askFor(['views'], listViews, {}, 'Unable to get the saved views')

export const createViewMutation = change(
  [['views']],
  (body: { name: string; query: string; is_shared: boolean }) => call(createView, { body }),
  { success: 'View saved.', failure: 'Unable to save the view' },
)

export const updateViewMutation = change(
  [['views']],
  ({ id, ...body }: { id: number; name?: string; query?: string; is_shared?: boolean }) =>
    call(updateView, { params: { id }, body }),
  { success: 'View saved.', failure: 'Unable to save the view' },
)

export const removeViewMutation = change([['views']], (id: number) => call(removeView, { params: { id } }), {
  success: 'View removed.',
  failure: 'Unable to remove the view',
})
