import { route } from '../http/route'
import * as contract from './contract'
import { createSavedView, findViews, removeSavedView, updateSavedView } from './queries'

export const viewRoutes = [
  route(contract.listViews).handle(({ db, actor }) => findViews(db, actor)),
  route(contract.createView).handle(({ db, actor: { org_id, user_id }, body, now }) =>
    createSavedView(db, { org_id, user_id }, body, now),
  ),
  route(contract.updateView).handle(({ db, params, body, ...by }) => updateSavedView(db, params.id, body, by)),
  route(contract.removeView).handle(({ db, params, ...by }) => removeSavedView(db, params.id, by)),
]
