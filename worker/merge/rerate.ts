import { eq, sql } from 'drizzle-orm'
import { beside } from '../db/beside'
import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { plusSeconds, toSeconds, stamp } from '../db/time'
import { scoreChange, type VulnChange } from '../domain/alerts/change'
import { ageCaps } from '../domain/scores/rating'
import { computeScore, hasVector } from '../domain/scores/score'
import { vulns } from '../schema/vulns'
import { rewatch } from '../watchlist/rewatch'
import { requireVuln } from '../watchlist/visible'

export type Moved = [vuln_id: number, score: number | null, changes: VulnChange[], from: number | null]
type Rated = { id: number; score: number | null }
/** Old and new score are both ratings or both provisional: this does not change whether there is a CVSS vector. */
export const moveTo = ({ id, score }: Rated, to: number | null, isProvisional: boolean): Moved => [
  id,
  to,
  [
    scoreChange(
      { score, is_score_provisional: isProvisional && score !== null },
      { score: to, is_score_provisional: isProvisional && to !== null },
    ),
  ],
  score,
]

/** A merge since the reading has rated it. */
export const isScoreAsRead = 'vulns.id = j.value->>0 AND vulns.score IS j.value->>3'

/** Days after crossing an age cap in which a missed run still catches up. */
const catchUpDays = 7
const daySeconds = 86_400

/** Scores depend on age in steps: rates again only vulnerabilities that crossed a step lately. */
export async function rerate(db: Db, now: Date) {
  const ago = (days: number) => stamp(plusSeconds(now, -days * daySeconds))
  let rated = 0
  for (const cap of ageCaps) {
    const rows = await db
      .select()
      .from(vulns)
      .where(
        sql`state <> 'rejected' AND id IN (
          SELECT id FROM vulns WHERE state <> 'rejected' AND published > ${toSeconds(ago(cap + 1 + catchUpDays))} AND published <= ${toSeconds(ago(cap + 1))}
          UNION SELECT id FROM vulns WHERE exploit_published IS NOT NULL AND exploit_published > ${ago(cap + 1 + catchUpDays)} AND exploit_published <= ${ago(cap + 1)})`,
      )
    const moved = rows.flatMap((row): Moved[] => {
      const score = computeScore(row, now)
      return score === row.score ? [] : [moveTo(row, score, !hasVector(row))]
    })
    if (!moved.length) continue
    await db.$client.batch(moveScores(db, moved, now))
    rated += moved.length
  }
  return rated
}

export const moveScores = (db: Db, moved: Moved[], now: Date) => [
  ...bulk(
    db,
    `INSERT INTO vuln_changes(vuln_id, at, kind, source, is_backfill, detail)
     SELECT vulns.id, ?2, 'minor', 'earshot', 0, j.value->>2 FROM jsonb_each(?1) j CROSS JOIN vulns ON ${isScoreAsRead}`,
    moved,
    stamp(now),
  ),
  ...bulk(
    db,
    `UPDATE vulns SET score = j.value->>1, updated_at = unixepoch(?2) FROM jsonb_each(?1) j WHERE ${isScoreAsRead}`,
    moved,
    stamp(now),
  ),
  ...touch(
    db,
    moved.map(([id]) => id),
  ),
]

export async function rateAnew(db: Db, org_id: number, id: number, now: Date) {
  const [, [row]] = await beside(requireVuln(db, org_id, id), db.select().from(vulns).where(eq(vulns.id, id)))
  if (!row) return null
  const score = computeScore(row, now)
  if (score !== row.score) await db.$client.batch(moveScores(db, [moveTo(row, score, !hasVector(row))], now))
  return score
}

/** Must follow the write of `updated_at` in the batch: the links copy it. */
export const touch = (db: Db, vuln_ids: number[]) => [...touchLinks(db, vuln_ids), ...rewatch(db, { vuln_ids })]

export const touchLinks = (db: Db, vuln_ids: number[]) =>
  ['vuln_products', 'vuln_packages'].flatMap((links) =>
    bulk(
      db,
      `UPDATE ${links} SET touched = t.at FROM (
         SELECT v.id, v.updated_at AS at FROM jsonb_each(?1) j JOIN vulns v ON v.id = j.value
       ) t WHERE ${links}.vuln_id = t.id AND ${links}.touched <> t.at`,
      vuln_ids,
    ),
  )
