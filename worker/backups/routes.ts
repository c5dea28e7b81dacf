import { stamp } from '../db/time'
import { route } from '../http/route'
import { listBackups, restoreBackup } from './contract'
import { findSaved, restoreSaved } from './restore'

export const backupRoutes = [
  route(listBackups).handle(async ({ env }) => ({ org_ids: await findSaved(env) })),
  route(restoreBackup).handle(({ db, params, body, ...by }) =>
    restoreSaved(db, { ...params, at: stamp(new Date(body.at)) }, by),
  ),
]
