import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Written in the batch that changes the number, because counting would cost a scan. */
export const counters = sqliteTable('counters', {
  name: text({
    enum: [
      'vulns',
      'cves',
      'cves_awaiting',
      'cves_rejected',
      'vulns_exploitable',
      'vulns_remote',
      'exploits',
      'threats',
      'bulletins',
      'weaknesses',
      'kb_version',
      'guesses_settled_to',
      'read_at_ms',
      'alerts_planned_to',
      'last_org_id',
      'backup_night',
      'backup_org',
    ],
  }).primaryKey(),
  value: integer().notNull(),
})
