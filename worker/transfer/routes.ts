import { route } from '../http/route'
import { exportOrg } from './contract'
import { exportOrgFile } from './export'

export const transferRoutes = [route(exportOrg).handle(({ db, ...by }) => exportOrgFile(db, by))]
