import { and, eq, gt, inArray, isNull, lte, ne, sql } from 'drizzle-orm'
import { allowStatement, spendOfForm } from '../mail/allowance'
import { queueAllowed, type Notice } from '../mail/outbox'
import type { Db } from '../db/open'
import { sqlStatement, updateRows } from '../db/statement'
import { latest, plusSeconds, stamp } from '../db/time'
import { mailboxName } from '../domain/people/mailbox'
import { Failure } from '../http/errors'
import { links, users } from '../schema/auth'
import { hashToken } from './keys'

type LinkKind = 'reset' | 'email_change' | 'alert_address'
const hours = { reset: 1, email_change: 24, alert_address: 72 }
/** A stranger may ask for a link to this address: at most one goes out in ten minutes, and the earlier link still works. */
const pause_s = 600
/** To one address. */
const daily = { reset: 6, email_change: 5, alert_address: 3 }

type Given = {
  kind: LinkKind
  hash: string
  email: string
  user_id: number | null
  org_id?: number
  /** Of who filled in the form. */
  ip?: string
  /** End of its key where it is counted apart from what strangers ask for, so that they use up nobody's link. */
  apart?: string
}

/** None when a link of the kind went to the address a moment ago. */
export const mailedLinkStatements = async (db: Db, link: Given, mail: Notice, now: Date) => {
  const { kind, hash, email, user_id, org_id, ip = '', apart = '' } = link
  const key = `${kind} ${await hashToken(mailboxName(email))}${apart}`
  const expires_at = stamp(plusSeconds(now, hours[kind] * 3600))
  return [
    allowStatement(db, { key, limit: daily[kind], pause_s }, now),
    ...(kind === 'reset' && !apart ? spendOfForm(db, 'reset', ip, now) : []),
    sqlStatement(db)`INSERT INTO links(token_hash, kind, email, user_id, org_id, created_at, expires_at)
        SELECT ${hash}, ${kind}, ${email}, ${user_id}, ${org_id ?? null}, ${stamp(now)}, ${expires_at}
        WHERE changes() = 1`,
    queueAllowed(db, { org_id: org_id ?? null, ...mail }, now),
  ]
}

export const isOpenLink = (now: Date) =>
  and(isNull(links.used_at), gt(links.expires_at, stamp(now)), lte(links.created_at, latest(now)))

/** Only the first caller gets it. */
export async function takeLink(db: Db, kind: 'reset' | 'email_change', token: string, now: Date) {
  const isOfActive = sql`EXISTS (SELECT 1 FROM ${users} WHERE ${users.id} = ${links.user_id} AND ${users.is_active})`
  const link = await db
    .update(links)
    .set({ used_at: stamp(now) })
    .where(and(eq(links.token_hash, await hashToken(token)), eq(links.kind, kind), isOpenLink(now), isOfActive))
    .returning({ user_id: links.user_id, email: links.email })
    .get()
  if (!link?.user_id) throw linkGone()
  return { user_id: link.user_id, email: link.email }
}

export const linkGone = () =>
  new Failure(400, 'link_invalid', 'This link was used before or has expired: ask for a new one')

/** An intruder may have asked for them, whom a new password or address is to keep out. */
export const voidLinks = (db: Db, user_id: number, now: Date) =>
  updateRows(
    db,
    links,
    and(eq(links.user_id, user_id), inArray(links.kind, ['reset', 'email_change']), isNull(links.used_at)),
    { used_at: stamp(now) },
  )

/** A new address that was mistyped belongs to somebody else, who got the link to it. */
export const voidOtherChanges = (db: Db, { user_id, email }: { user_id: number; email: string }, now: Date) =>
  updateRows(
    db,
    links,
    and(eq(links.user_id, user_id), eq(links.kind, 'email_change'), ne(links.email, email), isNull(links.used_at)),
    { used_at: stamp(now) },
  )
