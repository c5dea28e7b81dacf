import type { Db } from '../db/open'
import { allowStatement } from './allowance'
import { queueAllowed, type Notice } from './outbox'

/** Of one title in a day (UTC): by then its reader knows. */
const usualPerDay = 10

type Allowed = { org_id: number | null; key: string; limit?: number; pause_s?: number }

/** For mails that a click causes, as often as somebody clicks: without a limit they would stand before the mails of others. */
export const queueWithin = (
  db: Db,
  { org_id, limit = usualPerDay, ...allowed }: Allowed,
  mails: Notice[],
  now: Date,
) =>
  mails.length
    ? [
        allowStatement(db, { ...allowed, limit }, now),
        ...mails.map((mail) => queueAllowed(db, { org_id, ...mail }, now)),
      ]
    : []

/** News of an account to its owner. */
export const queueNotice = (db: Db, user_id: number, mail: Notice, now: Date) =>
  queueWithin(db, { org_id: null, key: `notice to ${user_id} ${mail.subject}` }, [mail], now)
