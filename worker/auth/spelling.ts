import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Db } from '../db/open'
import { withAsciiDomain } from '../domain/people/mailbox'

const hasTwoSpellings = (email: SQL | SQLiteColumn) =>
  sql`(${email} GLOB '*[^ -~]*' OR lower(${email}) GLOB '*[@.]xn--*')`

/** The address of a link and of a user are the same, or may be: `isSameMailbox` says it of what is found. */
export const mayBeSame = (sent_to: SQL | SQLiteColumn, email: SQL | SQLiteColumn) =>
  sql`(${sent_to} = lower(${email}) OR ${hasTwoSpellings(sent_to)} AND ${hasTwoSpellings(email)})`

export const isSameMailbox = ({ sent_to, email }: { sent_to: string; email: string }) =>
  withAsciiDomain(sent_to) === withAsciiDomain(email)

/**
 * The address as whoever has an account with it spells it: a domain with other letters has a name in ASCII, too (RFC 5891), and both lead to one
 * mailbox. Accounts that stand beside each other from before are each known by their own spelling. `isAsked`: of a row of users, whether it counts.
 */
export async function findSpelling(db: Db, email: string, isAsked = sql`TRUE`) {
  const ascii = withAsciiDomain(email)
  if (!/[@.]xn--/.test(ascii)) return email
  const name = email.slice(0, email.lastIndexOf('@'))
  const found = await db.all<{ email: string }>(sql`
    SELECT lower(email) AS email FROM users WHERE lower(email) >= ${`${name}@`} AND lower(email) < ${`${name}A`} AND ${isAsked}
      AND ${hasTwoSpellings(sql`email`)}`)
  const same = found.map((user) => user.email).filter((spelled) => withAsciiDomain(spelled) === ascii)
  return same.includes(email) ? email : (same[0] ?? email)
}
