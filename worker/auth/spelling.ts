import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { withAsciiDomain } from '../domain/people/mailbox'

/**
 * The address as whoever has an account with it spells it: a domain with other letters has a name in ASCII, too (RFC 5891), and both lead to one
 * mailbox. Accounts that stand beside each other from before are each known by their own spelling. `except`: an account that does not count.
 */
export async function findSpelling(db: Db, email: string, except = 0) {
  const ascii = withAsciiDomain(email)
  if (!/[@.]xn--/.test(ascii)) return email
  const name = email.slice(0, email.lastIndexOf('@'))
  const found = await db.all<{ email: string }>(sql`
    SELECT lower(email) AS email FROM users WHERE lower(email) >= ${`${name}@`} AND lower(email) < ${`${name}A`} AND id <> ${except}
      AND (email GLOB '*[^ -~]*' OR lower(email) GLOB '*[@.]xn--*')`)
  const same = found.map((one) => one.email).filter((one) => withAsciiDomain(one) === ascii)
  return same.includes(email) ? email : (same[0] ?? email)
}
