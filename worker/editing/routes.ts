import { route } from '../http/route'
import { addVuln, editableVuln, editVuln } from './contract'
import { getEditable } from './find'
import { updateVuln, createVuln } from './save'

export const editingRoutes = [
  route(addVuln).handle(async ({ db, env, actor, body, now }) => {
    const { id, hasNews } = await createVuln({ db, actor, now }, body)
    if (hasNews) await env.ALERTS.send({ reason: 'changes' })
    return { status: 'success' as const, id }
  }),
  route(editVuln).handle(async ({ db, env, actor, body, now }) => {
    const { id, hasNews } = await updateVuln({ db, actor, now }, body)
    if (hasNews) await env.ALERTS.send({ reason: 'changes' })
    return { status: 'success' as const, id }
  }),
  route(editableVuln).handle(({ db, actor, params, now }) => getEditable(db, actor, params.id, now)),
]
