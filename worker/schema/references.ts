import { integer } from 'drizzle-orm/sqlite-core'
import { users } from './auth'
import { orgs } from './orgs'
import { vulns } from './vulns'

export const orgId = () =>
  integer()
    .notNull()
    .references(() => orgs.id, { onDelete: 'cascade' })

export const vulnId = () =>
  integer()
    .notNull()
    .references(() => vulns.id)

export const userId = () => integer().references(() => users.id, { onDelete: 'set null' })

/** The row goes with the person. */
export const ownerId = () =>
  integer()
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })
