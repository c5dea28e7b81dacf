import { sql, type SQL } from 'drizzle-orm'
import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ownId, flag } from '../db/columns'
import { decisionScopes, decisionVerdicts } from '../domain/decisions/decision-scope'
import { wakings } from '../domain/decisions/snooze'
import { vexJustifications } from '../domain/decisions/vex'
import { orgId } from './orgs'
import { userId } from './auth'

/** First by the vulnerability: a merge asks who decided on it. Without a row nothing is decided. */
export const decisions = sqliteTable(
  'decisions',
  {
    vuln_id: integer().notNull(),
    org_id: orgId(),
    scope: text({ enum: decisionScopes }).notNull(),
    /** 0 where it is about the vulnerability wherever it is. */
    inventory_id: integer().notNull().default(0),
    component_id: integer().notNull().default(0),
    /** Empty for the organization's own word, which counts; a supplier's is a proposal. */
    author: text().notNull().default(''),
    verdict: text({ enum: decisionVerdicts }).notNull(),
    /** Why it does not concern the organization: without one, `not_interesting` says nothing of being affected. */
    justification: text({ enum: vexJustifications }),
    note: text(),
    /** The version that a component is to be upgraded to. */
    fix: text(),
    /** The person or team that sees to it; of an accepted risk the member who answers for it, of `assigned` who has it. */
    owner: text(),
    owner_id: userId(),
    /** The last day on which it counts. */
    last_day: text(),
    /** The wake conditions of a snooze. */
    on_fix: flag(),
    on_kev: flag(),
    on_exploit: flag(),
    /** 0 to 1. */
    epss_above: real(),
    /** 0 to 1: the share of all others with a lower EPSS. */
    epss_percentile_above: real(),
    decided_at: text().notNull(),
    user_id: userId(),
    /** Approver of a risk that somebody else asked to accept. */
    approved_user_id: userId(),
    /** Of a snooze that woke and a proposal that was laid aside: when, by what, and by whom if by hand. */
    ended_at: text(),
    ended_by: text({ enum: wakings }),
    ended_user_id: userId(),
  },
  (t) => [
    primaryKey({ columns: [t.vuln_id, t.org_id, t.scope, t.inventory_id, t.component_id, t.author] }),
    index('decisions_by_place').on(t.org_id, t.inventory_id, t.verdict, t.vuln_id),
  ],
)

/** Each change of an organization's own decisions, with the row before it: the history, and what undoes it. */
export const decisionChanges = sqliteTable(
  'decision_changes',
  {
    id: ownId(),
    org_id: orgId(),
    vuln_id: integer().notNull(),
    scope: text({ enum: decisionScopes }).notNull(),
    inventory_id: integer().notNull().default(0),
    component_id: integer().notNull().default(0),
    /** Null where none is left. */
    verdict: text({ enum: decisionVerdicts }),
    /** JSON of the row that was changed; null where there was none. */
    before: text(),
    at: text().notNull(),
    user_id: userId(),
  },
  (t) => [index('decision_changes_by_vuln').on(t.org_id, t.vuln_id, t.id)],
)

/** The organization is done with the vulnerability. */
export const isSettled = (org_id: SQL, vuln_id: SQL, day?: string) =>
  sql`EXISTS (SELECT 1 FROM decisions s WHERE s.vuln_id = ${vuln_id} AND s.org_id = ${org_id} AND s.scope = 'vulnerability'
    AND +s.verdict IN ('fixed', 'not_interesting') ${day === undefined ? sql`` : sql`AND (s.last_day IS NULL OR s.last_day >= ${day})`})`

/** Of a decision `z` on alerts: it lasts. */
export const isAsleep = (at: string) =>
  sql`(z.scope = 'alerts' AND z.ended_at IS NULL AND (z.last_day IS NULL OR z.last_day >= ${at.slice(0, 10)}))`

export const isSleeping = (org_id: SQL, vuln_id: SQL, at: string) =>
  sql`EXISTS (SELECT 1 FROM decisions z WHERE z.vuln_id = ${vuln_id} AND z.org_id = ${org_id} AND ${isAsleep(at)})`

/** Its status or a decision keeps its alerts quiet. */
export const isKeptSilent = (org_id: SQL, vuln_id: SQL, at: string) =>
  sql`(${isSettled(org_id, vuln_id, at.slice(0, 10))} OR ${isSleeping(org_id, vuln_id, at)})`

/** Of a finding `f`: statements of suppliers and its organization on it, `d`; and those that count. */
export const isSaidOfFinding = `d.vuln_id = f.vuln_id AND d.org_id = f.org_id AND d.scope = 'component'
  AND d.inventory_id = f.inventory_id AND d.component_id = f.component_id`
export const isOfFinding = `${isSaidOfFinding} AND d.author = ''`

/** Of a finding `f`: `s` is the status of its vulnerability; and it says that the organization is done with it. */
export const isStatusOfFinding = `s.vuln_id = f.vuln_id AND s.org_id = f.org_id AND s.scope = 'vulnerability'`
export const isStatedOfFinding = `${isStatusOfFinding} AND +s.verdict IN ('fixed', 'not_interesting')`
