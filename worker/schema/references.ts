import { integer } from 'drizzle-orm/sqlite-core'
import { users } from './auth'
import { orgs } from './orgs'
import { vulns } from './vulns'

/** What is an organization's goes with it. */
export const orgId = () =>
  integer()
    .notNull()
    .references(() => orgs.id, { onDelete: 'cascade' })

export const vulnId = () =>
  integer()
    .notNull()
    .references(() => vulns.id)

/** Who did it, until the person is gone. */
export const userId = () => integer().references(() => users.id, { onDelete: 'set null' })
