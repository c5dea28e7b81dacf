import { route } from '../http/route'
import * as contract from './contract'
import { createView, findViews, removeView, updateView } from './queries'

export const viewRoutes = [
  route(contract.listViews).handle(({ db, actor }) => findViews(db, actor)),
  route(contract.createView).handle(({ db, actor: { org_id, user_id }, body, now }) =>
    createView(db, { org_id, user_id }, body, now),
  ),
  route(contract.updateView).handle(({ db, actor: { org_id, user_id }, params, body, now }) =>
    updateView(db, { org_id, user_id }, params.id, { change: body, now }),
  ),
  route(contract.removeView).handle(async ({ db, actor: { org_id, user_id }, params }) => {
    await removeView(db, { org_id, user_id }, params.id)
    return { status: 'success' as const }
  }),
]
