import { route } from '../http/route'
import { getService } from './contract'
import { findService } from './service'

export const serviceRoutes = [route(getService).handle(({ db, now }) => findService(db, now))]
