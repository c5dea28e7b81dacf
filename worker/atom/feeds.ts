import { and, asc, desc, eq, gt, isNull, or, sql } from 'drizzle-orm'
import { hashToken, newToken } from '../auth/keys'
import { readyAuditBy } from '../auth/audited-by'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { stamp } from '../db/time'
import { hasRule, type AlertRule } from '../domain/alerts/alert-rules'
import type { Env } from '../env'
import { notFound } from '../http/errors'
import type { By } from '../orgs/managed-orgs'
import { knownId } from '../domain/names/cve'
import { isScoreProvisional } from '../domain/scores/score'
import { severityLabels, vulnSeverity } from '../domain/scores/severity'
import { alertFeeds, alerts } from '../schema/alerts'
import { orgs } from '../schema/orgs'
import { savedViews } from '../schema/views'
import { vulns } from '../schema/vulns'
import { findVulns } from '../vulns/list/find'
import { readSavedQuery } from '../vulns/query'
import { alertDetails, changedLines, readLoggedChanges } from '../alerts/change-log'
import { nameUuid } from '../alerts/channels/uuid'
import type { FeedEntry } from './formats'

const feedEntries = 100
const allName = 'All alerts'

const isFeed = (org_id: number, view_id: number) => and(eq(alertFeeds.org_id, org_id), eq(alertFeeds.view_id, view_id))
const isItsView = and(eq(savedViews.id, alertFeeds.view_id), eq(savedViews.org_id, alertFeeds.org_id))
/** A feed ends with its view, with the membership of its maker, and where they do not see the view any more. */
const isOpen = and(
  or(eq(alertFeeds.view_id, 0), eq(savedViews.is_shared, true), eq(savedViews.user_id, alertFeeds.user_id)),
  sql`EXISTS (SELECT 1 FROM users u WHERE u.id = ${alertFeeds.user_id} AND u.is_active = 1 AND (u.is_admin = 1
    OR EXISTS (SELECT 1 FROM members m WHERE m.org_id = ${alertFeeds.org_id} AND m.user_id = u.id AND m.is_active = 1)))`,
)

export const findAlertFeeds = (db: Db, org_id: number) =>
  db
    .select({
      view_id: alertFeeds.view_id,
      name: sql<string>`coalesce(${savedViews.name}, ${allName})`,
      created_at: alertFeeds.created_at,
    })
    .from(alertFeeds)
    .leftJoin(savedViews, isItsView)
    .where(and(eq(alertFeeds.org_id, org_id), isOpen))
    .orderBy(asc(alertFeeds.view_id))

/** The token names its feed, which is found by its key; only the hash is stored. */
export async function createFeedAddress(db: Db, view_id: number, by: By) {
  const { org_id, user_id } = by.actor
  const find = view_id === 0 ? null : findView(db, { org_id, view_id, user_id })
  const [view, audit] = await Promise.all([find, readyAuditBy(db, by)])
  if (view_id !== 0 && !view) throw notFound('View')
  const token = `${org_id}-${view_id}-${newToken()}`
  const made = { token_hash: await hashToken(token), created_at: stamp(by.now), user_id }
  const write = statement(
    db,
    db
      .insert(alertFeeds)
      .values({ org_id, view_id, ...made })
      .onConflictDoUpdate({ target: [alertFeeds.org_id, alertFeeds.view_id], set: made }),
  )
  await audit([write], { action: 'feed.create', target: `view ${view_id}` })
  const at = `${by.env.APP_URL}/api/public/feeds/${token}`
  return {
    view_id,
    name: view?.name ?? allName,
    created_at: made.created_at,
    atom_url: `${at}/atom`,
    json_url: `${at}/json`,
  }
}

export async function removeFeed(db: Db, view_id: number, by: By) {
  const isIt = isFeed(by.actor.org_id, view_id)
  const find = db.select({ view_id: alertFeeds.view_id }).from(alertFeeds).where(isIt)
  const [[found], audit] = await Promise.all([find, readyAuditBy(db, by)])
  if (!found) throw notFound('Feed')
  const write = statement(db, db.delete(alertFeeds).where(isIt))
  await audit([write], { action: 'feed.remove', target: `view ${view_id}` })
}

/** Views that the caller sees: their own, and shared ones of the organization. */
const findView = (db: Db, { org_id, view_id, user_id }: { org_id: number; view_id: number; user_id: number }) =>
  db
    .select({ name: savedViews.name })
    .from(savedViews)
    .where(
      and(
        eq(savedViews.id, view_id),
        eq(savedViews.org_id, org_id),
        or(eq(savedViews.user_id, user_id), eq(savedViews.is_shared, true)),
      ),
    )
    .get()

type Feed = { id: string; title: string; entries: FeedEntry[] }

/** Nothing for a revoked token, and for an organization that is disabled or past its trial. */
export async function getFeed(env: Env, db: Db, token: string, now: Date): Promise<Feed> {
  const [, org = '', view = ''] = /^(\d{1,15})-(\d{1,15})-[\w-]{20,64}$/.exec(token) ?? []
  const isPaid = or(isNull(orgs.trial_ends_at), gt(orgs.trial_ends_at, stamp(now)))
  const found = await db
    .select({
      org_name: sql<string>`${orgs.name}`.as('org_name'),
      org_id: alertFeeds.org_id,
      name: savedViews.name,
      query: savedViews.query,
    })
    .from(alertFeeds)
    .innerJoin(orgs, eq(orgs.id, alertFeeds.org_id))
    .leftJoin(savedViews, isItsView)
    .where(
      and(
        isFeed(Number(org), Number(view)),
        eq(alertFeeds.token_hash, await hashToken(token)),
        eq(orgs.is_active, true),
        isPaid,
        isOpen,
      ),
    )
    .get()
  if (!found) throw notFound('Feed')
  const { org_name, org_id, name, query } = found
  const title = `Earshot: ${name ?? 'alerts'} of ${org_name}`
  const id = await entryId(env, `feed ${org_id} ${Number(view)}`)
  if (query === null) return { id, title, entries: await findAlertEntries(env, db, org_id) }
  return { id, title, entries: await findViewEntries(env, db, { org_id, query }, now) }
}

async function findAlertEntries(env: Env, db: Db, org_id: number): Promise<FeedEntry[]> {
  const { id, fired, updated_at, vuln_id } = alerts
  const { cveid, summary, score, cvss, cvss3, cvss4, cvss_vector, cvss3_vector, cvss4_vector, is_malicious } = vulns
  const bases = { cvss, cvss3, cvss4, cvss_vector, cvss3_vector, cvss4_vector, is_malicious }
  const found = await db
    .select({ id, fired, updated_at, vuln_id, cveid, summary, score, ...bases, details: alertDetails })
    .from(alerts)
    .innerJoin(vulns, and(eq(vulns.id, alerts.vuln_id), or(isNull(vulns.org_id), eq(vulns.org_id, alerts.org_id))))
    .where(and(eq(alerts.org_id, org_id), sql`coalesce(${alerts.suppressed}, '') NOT IN ('summarized', 'left_out')`))
    .orderBy(desc(alerts.id))
    .limit(feedEntries)
  return Promise.all(
    found.map(async ({ details, ...row }) => ({
      id: await entryId(env, `alert ${org_id} ${row.id}`),
      url: `${env.APP_URL}/vulns/${row.vuln_id}`,
      title: `${titleFor({ ...row, id: row.vuln_id })}: ${describeFired(row.fired)}`,
      text: entryText(
        { ...row, is_score_provisional: isScoreProvisional(row) },
        changedLines(readLoggedChanges(details)),
      ),
      at: row.updated_at,
    })),
  )
}

async function findViewEntries(
  env: Env,
  db: Db,
  { org_id, query }: { org_id: number; query: string },
  now: Date,
): Promise<FeedEntry[]> {
  const saved = readSavedQuery(query, feedEntries)
  if (!saved) return []
  const { results } = await findVulns(db, { org_id, now }, saved)
  return Promise.all(
    results.map(async (vuln) => ({
      id: await entryId(env, `vuln ${org_id} ${vuln.id}`),
      url: `${env.APP_URL}/vulns/${vuln.id}`,
      title: `${titleFor(vuln)}${vuln.kev ? ', exploited' : vuln.is_exploitable ? ', exploit known' : ''}`,
      text: entryText(vuln, []),
      at: vuln.updated_at,
    })),
  )
}

type Titled = Parameters<typeof vulnSeverity>[0] & { id: number; cveid: string | null }
const titleFor = (vuln: Titled) => `${knownId(vuln.cveid) ?? `PH-${vuln.id}`} · ${severityLabels[vulnSeverity(vuln)]}`

const firedWords: [AlertRule, string][] = [
  ['malicious', 'malicious'],
  ['cleared', 'no longer called malicious'],
  ['kev', 'exploited'],
  ['exploitable', 'exploit known'],
  ['fix', 'fixed versions named'],
  ['new', 'new'],
]
function describeFired(fired: number) {
  const words = firedWords.flatMap(([rule, word]) => (hasRule(fired, rule) ? [word] : []))
  return words.join(', ') || 'changed'
}

type Scored = { summary: string; score: number | null; is_score_provisional: boolean }
const entryText = ({ summary, score, is_score_provisional }: Scored, changes: string[]) =>
  [summary, `Score: ${score ?? 'n/a'}${is_score_provisional ? ' (provisional)' : ''}`, ...changes].join('\n')

/** Stable, and of no use to whoever reads it elsewhere. */
const entryId = async ({ APP_URL }: Env, name: string) => `urn:uuid:${await nameUuid(`${APP_URL} ${name}`)}`
