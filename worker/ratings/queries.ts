import { and, eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import { computeAdjustedCvss2 } from '../domain/scores/cvss-score'
import { computeRating } from '../domain/scores/rating'
import { computeRatingVector } from '../domain/scores/score'
import { notFound } from '../http/errors'
import { vulns } from '../schema/vulns'
import { isVisible } from '../watchlist/visible'
import type { AssetMetrics, VulnRating } from './contract'

export async function getRating(
  db: Db,
  org_id: number,
  { id, asset }: { id: number; asset: AssetMetrics },
  now: Date,
): Promise<VulnRating> {
  const vuln = await getRated(db, org_id, id)
  const facts = computeRatingVector(vuln, now)
  const rating = {
    id,
    vuln: id,
    vector: '',
    score: null,
    score_details: null,
    cvssV2adj: null,
    cvssv2adj: null,
  }
  if (facts === null) return rating

  const vector = [facts, ...assetTokens(asset)].join('/')
  const { score, ...details } = computeRating(vector)
  const { is_exploitable, is_confirmed } = vuln
  const adjusted = computeAdjustedCvss2(vuln.cvss_vector ?? baseMetrics(facts), {
    is_exploitable,
    is_confirmed,
    rating_vector: vector,
  })
  const score_details = { vuln: details.vuln, threat: details.threat, asset: details.asset }
  return { ...rating, vector, score, score_details, cvssV2adj: adjusted, cvssv2adj: adjusted }
}

export async function getVector(db: Db, org_id: number, id: number, now: Date) {
  return computeRatingVector(await getRated(db, org_id, id), now) ?? ''
}

async function getRated(db: Db, org_id: number, id: number) {
  const [vuln] = await db
    .select()
    .from(vulns)
    .where(and(eq(vulns.id, id), isVisible(org_id)))
  if (!vuln) throw notFound('Vulnerability')
  return vuln
}

function assetTokens({ criticality, exposure, distribution }: AssetMetrics) {
  const letters = { Cr: criticality, E: exposure, D: distribution }
  return Object.entries(letters).flatMap(([code, letter]) => (letter ? [`${code}:${letter}`] : []))
}

/** The base metrics stand first, in CVSS v2 letters whatever version they came from. */
const baseMetrics = (rating_vector: string) => rating_vector.split('/').slice(0, 6).join('/')
