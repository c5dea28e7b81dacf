import { route } from '../http/route'
import { getService, reportLooks } from './contract'
import { noteLooks, requireProbe } from './outside'
import { findService } from './service'

export const serviceRoutes = [
  route(getService).handle(({ db, now }) => findService(db, now)),
  route(reportLooks).handle(async ({ db, env, body, now }) => {
    await requireProbe(env, body.token)
    return noteLooks(db, body.looks, now)
  }),
]
