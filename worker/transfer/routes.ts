import { route } from '../http/route'
import { exportOrg, importOrg } from './contract'
import { exportOrgFile } from './export'
import { importOrgFile } from './import'

export const transferRoutes = [
  route(exportOrg).handle(({ db, ...by }) => exportOrgFile(db, by)),
  route(importOrg).handle(({ db, file, query, ...by }) => importOrgFile(db, { file, ...query }, by)),
]
