import { sql } from 'drizzle-orm'
import { bulk, readBulk } from '../db/bulk'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { stamp } from '../db/time'
import type { VulnChange } from '../domain/alerts/change'
import { epssLevels, isEpssRise, passesMark, percentileDrift } from '../domain/scores/epss'
import { computeProvisionalScore, type UnscoredFacts } from '../domain/scores/score'
import { isScoreAsRead, moveScores, moveTo, touch, type Moved } from './rerate'
import { dueByNewFacts } from '../watchlist/rewatch'

export type Score = [cveid: string, epss: number, percentile: number]

/** How many rises of a day we keep, and for how many days; the change log has all. */
const maxRises = 1_000
const riseDays = 30

// Scores move in their last digits every day: we write only changes of three decimals or past a level that is news, and
// percentiles that moved by a hundredth. Scores of CVEs that we lack wait in a table of their own.
const differs = (old: string, now: string) =>
  [
    `round(${old}, 3) <> round(${now}, 3)`,
    ...epssLevels.map((level) => `(${old} < ${level}) <> (${now} < ${level})`),
  ].join(' OR ')
const upsertScores = `
  INSERT INTO epss_scores(cveid, epss, percentile)
  SELECT j.value->>0, j.value->>1, j.value->>2 FROM jsonb_each(?1) j
  WHERE NOT EXISTS (SELECT 1 FROM vulns v WHERE v.cveid = j.value->>0)
  ON CONFLICT(cveid) DO UPDATE SET epss = excluded.epss, percentile = excluded.percentile
  WHERE ${differs('epss_scores.epss', 'excluded.epss')}`
const keepHistory = `
  INSERT INTO epss_history(vuln_id, until, epss)
  SELECT v.id, ?2, v.epss FROM jsonb_each(?1) j JOIN vulns v ON v.cveid = j.value->>0
  WHERE v.epss IS NOT NULL AND (${differs('v.epss', 'j.value->>1')}) ON CONFLICT DO NOTHING`
const updateVulns = `
  UPDATE vulns SET epss = j.value->>1, epss_percentile = j.value->>2 FROM jsonb_each(?1) j
  WHERE vulns.cveid = j.value->>0 AND (vulns.epss IS NULL OR ${differs('vulns.epss', 'j.value->>1')}) RETURNING 1`
// As others move, so does the percentile of what stays.
const updatePercentiles = `
  UPDATE vulns SET epss_percentile = j.value->>2 FROM jsonb_each(?1) j
  WHERE vulns.cveid = j.value->>0 AND abs(vulns.epss_percentile - (j.value->>2)) >= ${percentileDrift}`
const findHigher = `
  SELECT v.id, v.epss AS 'from', j.value->>1 AS 'to', v.epss_percentile AS percentile, j.value->>2 AS new_percentile,
    v.epss IS NULL OR ${differs('v.epss', 'j.value->>1')} AS is_written
  FROM jsonb_each(?1) j JOIN vulns v ON v.cveid = j.value->>0
  WHERE v.state <> 'rejected' AND (v.epss IS NULL OR v.epss < j.value->>1)`
// Each step of a file adds its rises to the day.
const keepRises = `
  INSERT INTO epss_rises(day, rises) SELECT ?2, ?1 WHERE TRUE ON CONFLICT(day) DO UPDATE SET rises = (
    SELECT json_group_array(json(value)) FROM (
      SELECT value FROM (
        SELECT value FROM json_each(epss_rises.rises) UNION ALL SELECT value FROM json_each(excluded.rises)
      ) ORDER BY value->>2 - value->>1 DESC LIMIT ${maxRises}))`
const removeOldRises = (day: string) => sql`DELETE FROM epss_rises WHERE day < date(${day}, ${`-${riseDays} days`})`
// Vulnerabilities with a provisional score, which depends on EPSS.
const findUnrated = `
  SELECT v.id, v.score, v.is_in_the_wild, v.is_malicious, v.exploit_metrics, v.kev_added_at, v.kev_ransomware, j.value->>1 AS epss FROM jsonb_each(?1) j JOIN vulns v ON v.cveid = j.value->>0
  WHERE v.state <> 'rejected' AND coalesce(v.cvss_vector, v.cvss3_vector, v.cvss4_vector) IS NULL
    AND (v.epss IS NULL OR ${differs('v.epss', 'j.value->>1')})`

/** A rise is news, unless another model wrote the file before: that changes every score. */
export async function scoreStatements(
  db: Db,
  scores: Score[],
  { score_date, is_comparable, now }: { score_date: string; is_comparable: boolean; now: Date },
) {
  const rises = is_comparable ? await findRises(db, scores) : []
  return {
    counted: bulk(db, upsertScores, scores),
    // The history first: it reads what the update overwrites.
    listed: [...bulk(db, keepHistory, scores, score_date), ...bulk(db, updateVulns, scores)],
    more: [
      ...bulk(db, updatePercentiles, scores),
      ...logRises(db, rises, stamp(now)),
      ...listRises(db, rises, score_date),
      ...scoreProvisionally(db, await findProvisional(db, scores), is_comparable ? now : null),
    ],
    hasNews: rises.length > 0,
  }
}

async function findProvisional(db: Db, scores: Score[]): Promise<Moved[]> {
  const found = await readBulk<Stored>(db, findUnrated, scores)
  return found.flatMap((row): Moved[] => {
    const score = computeProvisionalScore({
      ...row,
      is_in_the_wild: Boolean(row.is_in_the_wild),
      is_malicious: Boolean(row.is_malicious),
      kev_ransomware: Boolean(row.kev_ransomware),
    })
    return score === row.score ? [] : [moveTo(row, score, true)]
  })
}

// SQLite keeps booleans as numbers.
type Stored = Omit<UnscoredFacts, 'is_in_the_wild' | 'is_malicious' | 'kev_ransomware'> & {
  id: number
  score: number | null
  is_in_the_wild: number
  is_malicious: number
  kev_ransomware: number | null
}

// Changes by a new model of EPSS are no news.
const scoreProvisionally = (db: Db, moved: Moved[], now: Date | null) =>
  now
    ? moveScores(db, moved, now)
    : [
        ...bulk(db, `UPDATE vulns SET score = j.value->>1 FROM jsonb_each(?1) j WHERE ${isScoreAsRead}`, moved),
        ...dueByNewFacts(db, { vuln_ids: moved.map(([id]) => id) }),
      ]

type Higher = {
  id: number
  from: number | null
  to: number
  percentile: number | null
  new_percentile: number
  is_written: number
}
type Rise = Higher & { kind: 'updated' | 'minor' }

/** A score that merely passes a percentile is minor: it is told to organizations with a rule for it alone. */
async function findRises(db: Db, scores: Score[]): Promise<Rise[]> {
  const found = await readBulk<Higher>(db, findHigher, scores)
  return found.flatMap((higher): Rise[] => {
    if (isEpssRise(higher.from, higher.to)) return [{ ...higher, kind: 'updated' }]
    return higher.is_written && passesMark(higher.percentile, higher.new_percentile)
      ? [{ ...higher, kind: 'minor' }]
      : []
  })
}

const logRises = (db: Db, rises: Rise[], at: string) => [
  ...bulk(
    db,
    `INSERT INTO vuln_changes(vuln_id, at, kind, source, is_backfill, detail)
     SELECT value->>0, ?2, value->>1, 'epss', 0, value->>2 FROM jsonb_each(?1)`,
    rises.map(({ id, kind, from, to, percentile, new_percentile }): [number, string, VulnChange[]] => [
      id,
      kind,
      [{ field: 'epss', from, to, percentiles: [percentile, new_percentile] }],
    ]),
    at,
  ),
  ...bulk(
    db,
    'UPDATE vulns SET updated_at = unixepoch(?2) FROM jsonb_each(?1) j WHERE vulns.id = j.value',
    rises.map(({ id }) => id),
    at,
  ),
  ...touch(
    db,
    rises.map(({ id }) => id),
  ),
]

/** A first score is no rise of the day. */
const isOfDay = ({ kind, from }: Rise) => kind === 'updated' && from !== null

const listRises = (db: Db, rises: Rise[], day: string) =>
  rises.some(isOfDay)
    ? [
        ...bulk(
          db,
          keepRises,
          rises.filter(isOfDay).map(({ id, from, to }) => [id, from, to]),
          day,
        ),
        statement(db, removeOldRises(day)),
      ]
    : []
