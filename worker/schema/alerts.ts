import { and, eq } from 'drizzle-orm'
import { index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { ownId, flag, keyedTable, outgoing } from '../db/columns'
import { alertRules, defaultThresholds, deliveryStatuses, paces, suppressions } from '../domain/alerts/alert-rules'
import type { RouteName } from '../domain/alerts/alert-rules'
import { epssMarks, usualMark } from '../domain/scores/epss'
import { orgId } from './orgs'
import { vulnId } from './vulns'
import { ownerId } from './auth'

/** Organizations of which verdicts are still to be found: their changes behind `planned_to` are planned for them alone. */
export const alertWaits = sqliteTable('alert_waits', {
  org_id: orgId().primaryKey(),
  planned_to: integer().notNull(),
  since: text().notNull(),
  leased_until: text(),
})

/** Rules of a channel, and its filters. */
const rules = () => ({
  on_new: flag(true),
  on_update: flag(true),
  on_exploitable: flag(),
  on_kev: flag(),
  on_fix: flag(),
  on_malicious: flag(true),
  on_due: flag(),
  on_end_of_life: flag(),
  on_cra: flag(true),
  on_score: flag(),
  score_value: real().notNull().default(defaultThresholds.score),
  on_cvss: flag(),
  cvss_value: real().notNull().default(defaultThresholds.cvss),
  on_cvss3: flag(),
  cvss3_value: real().notNull().default(defaultThresholds.cvss3),
  on_epss: flag(),
  epss_value: text({ enum: epssMarks }).notNull().default(usualMark),
  /** Nothing below this score; null: all. */
  min_score: integer(),
  /** JSON array of labels: only what is monitored by an item of one of these groups; empty: all. */
  groups: text().notNull().default('[]'),
  /** JSON array of numbers: only what an inventory of these brings; empty: all. */
  inventories: text().notNull().default('[]'),
  /** JSON array of ids: only what a shared view of these shows; empty: all. */
  views: text().notNull().default('[]'),
  /** JSON array of verdicts on the versions that run; empty: all. */
  verdicts: text().notNull().default('[]'),
  /** So many alerts a day at once beside what is urgent; the others wait for the next report. 0: all. */
  daily_max: integer().notNull().default(20),
  /** Only what is in KEV or has an exploit. */
  only_exploited: flag(),
  /** See AlertTimes of domain/alerts/alert-times. */
  pace: text({ enum: paces }).notNull().default('now'),
  pace_hour: integer().notNull().default(8),
  quiet_from: integer().notNull().default(0),
  quiet_to: integer().notNull().default(0),
  zone: text().notNull().default(''),
})

export const alertSettings = sqliteTable('alert_settings', {
  org_id: orgId().primaryKey(),
  /** JSON array of addresses. */
  alerts_emails: text().notNull().default('[]'),
  ...rules(),
  daily_report: flag(),
  weekly_report: flag(),
  monthly_report: flag(),
  /** Where and when its reports are due: a name of IANA, empty until somebody chose, which is UTC; and an hour, 0 to 23. */
  time_zone: text().notNull().default(''),
  report_hour: integer().notNull().default(8),
  /** When it is told next what is due; empty: at once. */
  due_turn_at: text().notNull().default(''),
  /** When it is told next whose support ends; empty: at once. */
  support_turn_at: text().notNull().default(''),
  /** The night in which it was told last what ended decisions had kept quiet; empty: none. */
  ends_told_at: text().notNull().default(''),
  /** Sends a report that has nothing to tell, too. */
  quiet_report: flag(),
  show_slack: flag(true),
  show_thehive: flag(true),
  show_misp: flag(true),
})

/** A row for each route; of the first one for mails only how well it does, as its rules are settings. */
export const alertChannels = keyedTable('alert_channels', ['org_id', 'channel'], {
  org_id: orgId(),
  channel: text().$type<RouteName>().notNull(),
  /** Its name in the organization. */
  name: text().notNull().default(''),
  /** JSON array, where it is a further one for mails. */
  addresses: text().notNull().default('[]'),
  /** JSON of domain/alerts/rota's Rota, where its mails go to who is on duty; empty: none. */
  rota: text().notNull().default(''),
  /** The JSON that is filled for each alert, where it has one (domain/alerts/json-template). */
  template: text().notNull().default(''),
  /** JSON of addresses and keys, encrypted under the Worker's secret; empty: nothing is sent. */
  secrets: text().notNull().default(''),
  /** JSON: the last four characters of each. */
  hints: text().notNull().default('{}'),
  ...rules(),
  last_success_at: text(),
  failing_since: text(),
  last_error: text(),
  /** When it was switched off because it failed for too long, or said that it is gone. */
  disabled_at: text(),
})

export type RoutePlace = { org_id: number; channel: RouteName }
export const isRoute = ({ org_id, channel }: RoutePlace) =>
  and(eq(alertChannels.org_id, org_id), eq(alertChannels.channel, channel))

/** Targets of urgent alerts of a route when nobody acknowledged them within so many minutes, or it does not work. */
export const alertEscalations = keyedTable('alert_escalations', ['org_id', 'channel'], {
  org_id: orgId(),
  channel: text().$type<RouteName>().notNull(),
  next: text().$type<RouteName>().notNull(),
  minutes: integer().notNull(),
})

/** Open incidents at a tool that closes them on our word, with the last alert there. */
export const incidents = keyedTable('incidents', ['org_id', 'channel', 'vuln_id'], {
  org_id: orgId(),
  channel: text().$type<RouteName>().notNull(),
  vuln_id: integer().notNull(),
  alert_id: integer().notNull(),
  is_acknowledged: flag(),
})

/** Addresses of nobody in the organization: written to only when confirmed from their own mailbox. */
export const alertAddresses = keyedTable('alert_addresses', ['org_id', 'email'], {
  org_id: orgId(),
  /** In lower case. */
  email: text().notNull(),
  confirmed_at: text().notNull(),
})

/**
 * One row per organization, vulnerability and run of changes (`change_seq` to `last_seq`). `fired` are bits of domain/alerts/alert-rules; a score that
 * was none is -1. Alerts without a change have a number below 0 instead: of domain/alerts/news-numbers.
 */
export const alerts = sqliteTable(
  'alerts',
  {
    id: ownId(),
    org_id: orgId(),
    vuln_id: vulnId(),
    change_seq: integer().notNull(),
    last_seq: integer().notNull(),
    rule: text({ enum: alertRules }).notNull(),
    fired: integer().notNull(),
    score_from: real(),
    cvss_from: real(),
    cvss3_from: real(),
    /** Why nothing is sent, when nothing is. */
    suppressed: text({ enum: suppressions }),
    /** JSON of how many messages of each channel were planned: the proof misses what is gone. */
    planned: text().notNull().default('{}'),
    /** JSON of domain/alerts/past's SeenFacts of each planning, where some channel asks for them, empty where none does; or of alerts/ledger's DocumentNews. */
    saw: text().notNull().default(''),
    /** The same as one number, before `planned`; read by nobody. */
    tally: integer().notNull().default(0),
    created_at: text().notNull(),
    /** When a change last joined it. */
    updated_at: text().notNull(),
    acknowledged_at: text(),
    /** A name as it was then, or the route of which a link was followed. */
    acknowledged_by: text(),
  },
  (t) => [
    uniqueIndex('alerts_once').on(t.org_id, t.vuln_id, t.change_seq),
    index('alerts_by_org').on(t.org_id, t.created_at),
  ],
)

/** `held` waits for the next report. A receiver gets a second message of an alert only when the first had left and something urgent joined. */
export const deliveries = sqliteTable(
  'deliveries',
  {
    id: ownId(),
    org_id: orgId(),
    alert_id: integer()
      .notNull()
      .references(() => alerts.id, { onDelete: 'cascade' }),
    /** The route by which it goes. */
    channel: text().$type<RouteName>().notNull(),
    /** The address of a mail; empty for the other channels. */
    target: text().notNull(),
    rule: text({ enum: alertRules }).notNull(),
    /** Rules that it and those before it tell of, as bits of `domain/alerts/alert-rules`. */
    told: integer().notNull().default(0),
    status: text({ enum: deliveryStatuses }).notNull(),
    attempts: integer().notNull().default(0),
    next_attempt_at: text().notNull(),
    /** When it leaves with others of its hour or day, and once it was tried the first of these: '2026-11-24T08:00:00Z/12'; empty: alone. */
    digest: text().notNull().default(''),
    lease_until: text(),
    last_error: text(),
    /** Status of what the receiver answered last, and what it means. */
    answer: text(),
    sent_at: text(),
    /** The route at which nobody acknowledged it; empty: its own rules take it. */
    escalated_from: text().$type<RouteName | ''>().notNull().default(''),
    /** JSON of the kind, the day and the page of the report in which it stands: '["daily","2026-11-24",1]'. */
    reported_in: text(),
  },
  (t) => [
    uniqueIndex('deliveries_once').on(t.alert_id, t.channel, t.target, t.rule),
    index('deliveries_by_due').on(t.status, t.next_attempt_at),
  ],
)

/** Messages beside alerts: to a chat at once, and to a tool on its open incidents; a row before it is a message, gone once sent, or after a week where the ledger tells of it. */
export const summaries = sqliteTable('summaries', {
  id: ownId(),
  org_id: orgId(),
  channel: text().$type<RouteName>().notNull(),
  /** JSON of alerts/channels' Remark or FollowUp. */
  said: text().notNull(),
  ...outgoing(),
})

export const alertProofs = keyedTable('alert_proofs', ['org_id', 'day'], {
  org_id: orgId(),
  day: text().notNull(),
  /** JSON of alerts/proof/contract's DayProof. */
  body: text().notNull(),
  made_at: text().notNull(),
  /** JSON of alerts/proof/seals' DaySeal; empty while the day may change. */
  seal: text().notNull().default(''),
})

/** Of all that an organization monitors, or of one saved view; the address holds the token, which ends with the membership of its maker. */
export const alertFeeds = keyedTable('alert_feeds', ['org_id', 'view_id'], {
  org_id: orgId(),
  /** 0: all that is monitored. */
  view_id: integer().notNull(),
  /** SHA-256 of the token. */
  token_hash: text().notNull(),
  created_at: text().notNull(),
  user_id: ownerId(),
})

/** Nobody is written to before the address was confirmed from its own mailbox. */
export const subscribers = sqliteTable(
  'subscribers',
  {
    id: ownId(),
    /** In lower case. */
    email: text().notNull(),
    /** SHA-256 of the token in the links of its mails. */
    token_hash: text().notNull(),
    state: text({ enum: ['pending', 'confirmed', 'unsubscribed'] }).notNull(),
    created_at: text().notNull(),
    confirmed_at: text(),
  },
  (t) => [uniqueIndex('subscribers_by_email').on(t.email), uniqueIndex('subscribers_by_token').on(t.token_hash)],
)
