import { eq, sql } from 'drizzle-orm'
import { isTaken, retryOvertaken } from '../db/guard'
import type { Db } from '../db/open'
import { sqlStatement, statement } from '../db/statement'
import { stamp } from '../db/time'
import { alertSettings } from '../schema/alerts'
import { users } from '../schema/auth'
import { orgs } from '../schema/orgs'
import { firstRules, privateOrg } from './first-admin'

type NewOrg = { name: string; is_active: boolean; trial_ends_at: string | null; owner_email: string | null; now: Date }
type Made = { org_id: number; statements: D1PreparedStatement[] }

/**
 * `write` gets the id and the statements that insert it, for one batch. The id is chosen here, because the audit entry of that batch
 * names it; somebody else may take the slug meanwhile.
 */
export async function withNewOrg(db: Db, org: NewOrg, write: (made: Made) => Promise<void>) {
  const isOvertaken = (error: unknown) => isTaken(error, 'orgs.id', 'orgs.slug')
  return retryOvertaken({ attempts: 5, isOvertaken }, async () => {
    const { org_id, slug } = await findFree(db, org)
    await write({ org_id, statements: orgStatements(db, { ...org, org_id, slug }) })
    return org_id
  })
}

const orgStatements = (db: Db, org: NewOrg & { org_id: number; slug: string }) => [
  statement(
    db,
    db.insert(orgs).values({
      id: org.org_id,
      name: org.name,
      slug: org.slug,
      is_active: org.is_active,
      trial_ends_at: org.trial_ends_at,
      created_at: stamp(org.now),
      owner_id: sql`(SELECT ${users.id} FROM ${users} WHERE lower(${users.email}) = ${org.owner_email})`,
    }),
  ),
  statement(
    db,
    db.insert(alertSettings).values({
      org_id: org.org_id,
      alerts_emails: JSON.stringify(org.owner_email === null ? [] : [org.owner_email]),
      ...firstRules,
    }),
  ),
]

// Ids are handed out, never twice: no token or link of a removed organization may mean a later one.
async function findFree(db: Db, { name, trial_ends_at }: NewOrg) {
  const base = toSlug(name)
  const [handed, taken] = await db.$client.batch<{ id: number }>([
    sqlStatement(db)`INSERT INTO counters(name, value) SELECT 'last_org_id', coalesce(max(id), 0) + 1 FROM orgs
        WHERE TRUE
        ON CONFLICT(name) DO UPDATE SET value = max(value + 1, excluded.value) RETURNING value AS id`,
    statement(db, db.select({ id: orgs.id }).from(orgs).where(eq(orgs.slug, base))),
  ])
  const org_id = handed?.results[0]?.id
  if (!org_id) throw new Error('No id was handed out')
  // A stranger's slug does not tell whether an organization of the name is here. That of the admins' own brings its rules: nobody is given it.
  const isPlain = trial_ends_at === null && taken?.results.length === 0 && base !== privateOrg.slug && base !== ''
  return { org_id, slug: isPlain ? base : [base || 'org', randomLetters()].join('-') }
}

const toSlug = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '')

const randomLetters = () => Buffer.from(crypto.getRandomValues(new Uint8Array(4))).toString('hex')
