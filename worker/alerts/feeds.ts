import { hashToken, newToken } from '../auth/keys'
import { audited } from '../auth/audit'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import type { AuditAction } from '../domain/audit-actions'
import type { Env } from '../env'
import { notFound } from '../http/errors'
import { getActorName } from '../orgs/managed'
import type { By } from '../orgs/managed'
import type { VulnChange } from '../domain/change'
import { knownId } from '../domain/cve'
import { provisionalCondition } from '../schema/vulns'
import { VulnQuery } from '../vulns/contract'
import { findVulns } from '../vulns/list/find'
import { changedLines } from './changed-lines'
import type { FeedEntry } from './feed-formats'

const feedEntries = 100
const allName = 'All alerts'

type View = { id: number; name: string; query: string }

export async function findAlertFeeds(db: Db, org_id: number) {
  const { results } = await db.$client
    .prepare(
      `SELECT f.view_id, coalesce(v.name, ?2) AS name, f.created_at FROM alert_feeds f
       LEFT JOIN saved_views v ON v.id = f.view_id AND v.org_id = f.org_id
       WHERE f.org_id = ?1 AND (f.view_id = 0 OR v.id IS NOT NULL) ORDER BY f.view_id`,
    )
    .bind(org_id, allName)
    .all<{ view_id: number; name: string; created_at: string }>()
  return results
}

/** The token names its feed, which is found by its key; only the hash is stored. */
export async function makeAlertFeed(db: Db, view_id: number, by: By) {
  const { org_id, user_id } = by.actor
  const view = view_id === 0 ? null : await findView(db, { org_id, view_id, user_id })
  if (view_id !== 0 && !view) throw notFound('View')
  const token = `${org_id}-${view_id}-${newToken()}`
  const created_at = stamp(by.now)
  const write = db.$client
    .prepare(
      `INSERT INTO alert_feeds(org_id, view_id, token_hash, created_at) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT DO UPDATE SET token_hash = excluded.token_hash, created_at = excluded.created_at`,
    )
    .bind(org_id, view_id, await hashToken(token), created_at)
  await writeFeedAudited(db, write, { action: 'feed.create', view_id }, by)
  const at = `${by.env.APP_URL}/api/public/feeds/${token}`
  return { view_id, name: view?.name ?? allName, created_at, atom_url: `${at}/atom`, json_url: `${at}/json` }
}

export async function dropAlertFeed(db: Db, view_id: number, by: By) {
  const { org_id } = by.actor
  const found = await db.$client
    .prepare('SELECT 1 FROM alert_feeds WHERE org_id = ?1 AND view_id = ?2')
    .bind(org_id, view_id)
    .first()
  if (!found) throw notFound('Feed')
  const write = db.$client.prepare('DELETE FROM alert_feeds WHERE org_id = ?1 AND view_id = ?2').bind(org_id, view_id)
  await writeFeedAudited(db, write, { action: 'feed.remove', view_id }, by)
  return { status: 'success' as const }
}

async function writeFeedAudited(
  db: Db,
  write: D1PreparedStatement,
  { action, view_id }: { action: AuditAction; view_id: number },
  by: By,
) {
  const { org_id, user_id: actor_id } = by.actor
  const actor = await getActorName(db, by.actor)
  await audited(db, [write], { org_id, actor_id, actor, action, target: `view ${view_id}` }, by)
}

/** What the caller sees of the views: their own, and what the organization shares. */
const findView = (db: Db, { org_id, view_id, user_id }: { org_id: number; view_id: number; user_id: number }) =>
  db.$client
    .prepare(
      'SELECT id, name, query FROM saved_views WHERE id = ?2 AND org_id = ?1 AND (user_id = ?3 OR is_shared = 1)',
    )
    .bind(org_id, view_id, user_id)
    .first<View>()

type Feed = { title: string; entries: FeedEntry[] }

/** Nothing for a revoked token, and for an organization that is disabled or past its trial. */
export async function readFeed(env: Env, db: Db, token: string, now: Date): Promise<Feed> {
  const [, org = '', view = ''] = /^(\d{1,15})-(\d{1,15})-[\w-]{20,64}$/.exec(token) ?? []
  const found = await db.$client
    .prepare(
      `SELECT o.name AS org_name, f.org_id, f.view_id, v.name, v.query FROM alert_feeds f JOIN orgs o ON o.id = f.org_id
       LEFT JOIN saved_views v ON v.id = f.view_id AND v.org_id = f.org_id
       WHERE f.org_id = ?1 AND f.view_id = ?2 AND f.token_hash = ?3 AND o.is_active = 1 AND (o.trial_ends_at IS NULL OR o.trial_ends_at > ?4)
         AND (f.view_id = 0 OR v.id IS NOT NULL)`,
    )
    .bind(Number(org), Number(view), await hashToken(token), stamp(now))
    .first<{ org_name: string; org_id: number; view_id: number; name: string | null; query: string | null }>()
  if (!found) throw notFound('Feed')
  const { org_name, org_id, name, query } = found
  const title = `Earshot: ${name ?? 'alerts'} of ${org_name}`
  if (query === null) return { title, entries: await alertEntries(env, db, org_id) }
  return { title, entries: await viewEntries(env, db, { org_id, query }, now) }
}

type AlertEntry = {
  id: number
  created_at: string
  vuln_id: number
  cveid: string | null
  summary: string
  score: number | null
  is_provisional: number
  details: string
}

async function alertEntries(env: Env, db: Db, org_id: number): Promise<FeedEntry[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT a.id, a.created_at, v.id AS vuln_id, v.cveid, v.summary, v.score,
         ${provisionalCondition} AS is_provisional,
         (SELECT json_group_array(json(c.detail)) FROM (SELECT detail FROM vuln_changes
           WHERE vuln_id = a.vuln_id AND seq BETWEEN a.change_seq AND a.last_seq AND is_backfill = 0 ORDER BY seq LIMIT 100) c) AS details
       FROM alerts a JOIN vulns v ON v.id = a.vuln_id AND (v.org_id IS NULL OR v.org_id = a.org_id)
       WHERE a.org_id = ?1 ORDER BY a.id DESC LIMIT ${feedEntries}`,
    )
    .bind(org_id)
    .all<AlertEntry>()
  return results.map(({ id, created_at, details, ...vuln }) => {
    const changes = changedLines((JSON.parse(details) as VulnChange[][]).flat())
    return {
      id: entryId(env, `alert-${id}`),
      url: `${env.APP_URL}/vulns/${vuln.vuln_id}`,
      title: `${knownId(vuln.cveid) ?? `PH-${vuln.vuln_id}`}: ${changes[0] ?? 'changed'}`,
      text: entryText({ ...vuln, is_score_provisional: vuln.is_provisional === 1 }, changes),
      at: created_at,
    }
  })
}

async function viewEntries(
  env: Env,
  db: Db,
  { org_id, query }: { org_id: number; query: string },
  now: Date,
): Promise<FeedEntry[]> {
  const given = Object.fromEntries(new URLSearchParams(query))
  const parsed = VulnQuery.safeParse({
    ...given,
    sorted_by: '-updated_at',
    page: 1,
    limit: feedEntries,
    count: 'quick',
    after: undefined,
  })
  if (!parsed.success) return []
  const { results } = await findVulns(db, { org_id, now }, parsed.data)
  return results.map(({ id, cveid, summary, score, is_score_provisional, updated_at }) => ({
    id: entryId(env, `vuln-${id}-${updated_at}`),
    url: `${env.APP_URL}/vulns/${id}`,
    title: cveid ?? `PH-${id}`,
    text: entryText({ summary, score, is_score_provisional }, []),
    at: updated_at,
  }))
}

type Scored = { summary: string; score: number | null; is_score_provisional: boolean }
const entryText = ({ summary, score, is_score_provisional }: Scored, changes: string[]) =>
  [summary, `Score: ${score ?? 'n/a'}${is_score_provisional ? ' (provisional)' : ''}`, ...changes].join('\n')

const entryId = ({ APP_URL }: Env, name: string) => `tag:${new URL(APP_URL).hostname},2026:${name}`
