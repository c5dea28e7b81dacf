import { route } from '../http/route'
import { addVuln, editableVuln, editVuln, nothingEdited } from './contract'
import { getEditable } from './find'
import { updateVuln, createVuln } from './save'

export const editingRoutes = [
  route(addVuln).handle(async ({ body, ...by }) => {
    const { id, hasNews } = await createVuln(by, body)
    if (hasNews) await by.env.ALERTS.send({ reason: 'changes' })
    return { status: 'success' as const, id }
  }),
  route(editVuln).handle(async ({ body: { id: named, ...form }, ...by }) => {
    if (named === '') return nothingEdited
    const { id, hasNews } = await updateVuln(by, { ...form, id: named })
    if (hasNews) await by.env.ALERTS.send({ reason: 'changes' })
    return { status: 'success' as const, id }
  }),
  route(editableVuln).handle(({ db, actor, params, now }) => getEditable(db, actor, params.id, now)),
]
