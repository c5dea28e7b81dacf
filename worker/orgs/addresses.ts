import { sql } from 'drizzle-orm'
import { findSpelling } from '../auth/spelling'
import type { Db } from '../db/open'
import { Email } from '../domain/people/password'

/** More than anybody takes: reading each takes time. */
const maxRead = 1_000

/** More than one call may name. */
const maxSpelled = 51

/** Split at commas, semicolons and white space; each once, in lower case. */
export function readAddresses(input: string | string[]) {
  const texts = new Set([input].flat().flatMap((text) => text.split(/[\s,;]+/)))
  texts.delete('')
  const read = [...texts].slice(0, maxRead).map((text) => Email.safeParse(text).data ?? text.toLowerCase())
  const addresses = [...new Set(read)]
  const valid = addresses.filter((text) => Email.safeParse(text).success)
  return { addresses, valid, wrong: addresses.filter((text) => !valid.includes(text)) }
}

/** The first valid ones are as members spell them; of accounts elsewhere an organization learns nothing. */
export async function spellAddresses(db: Db, org_id: number, input: string | string[]) {
  const isMember = sql`id IN (SELECT user_id FROM members WHERE org_id = ${org_id})`
  const { valid: typed, ...read } = readAddresses(input)
  const spelled = await Promise.all(typed.slice(0, maxSpelled).map((email) => findSpelling(db, email, isMember)))
  return { ...read, valid: [...new Set([...spelled, ...typed.slice(maxSpelled)])] }
}

export async function findMemberEmails(db: Db, org_id: number, emails: string[]) {
  const found = await db.all<{ email: string }>(sql`
    SELECT e.value AS email FROM json_each(${JSON.stringify(emails)}) e CROSS JOIN users u ON lower(u.email) = e.value
    JOIN members m ON m.org_id = ${org_id} AND m.user_id = u.id`)
  return found.map(({ email }) => email)
}
