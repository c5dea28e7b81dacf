import { sql } from 'drizzle-orm'
import * as z from 'zod'
import { bulk, readBulk } from '../../db/bulk'
import { pack, unpack } from '../../db/pack'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { compareText } from '../../domain/versions/orders/order'
import { compareVersions } from '../../domain/versions/versions'
import type { Bulletin } from './bulletin'

const upsertBulletins = `INSERT INTO bulletins(publicid, source, vendor, title, severity, impact, link, published, modified, hash, body)
  SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6, value->>7, value->>8, value->>9, unhex(value->>10)
  FROM jsonb_each(?1) WHERE TRUE ON CONFLICT(source, publicid) DO UPDATE SET vendor = excluded.vendor, title = excluded.title,
  severity = excluded.severity, impact = excluded.impact, link = excluded.link, published = excluded.published,
  modified = excluded.modified, hash = excluded.hash, body = excluded.body WHERE excluded.hash <> bulletins.hash RETURNING 1`
const hasOtherText = `SELECT b.id FROM jsonb_each(?1) j JOIN bulletins b ON b.source = j.value->>1 AND b.publicid = j.value->>0
  WHERE (b.vendor, b.title) IS NOT (j.value->>2, j.value->>3)`
const dropText = `DELETE FROM bulletins_fts WHERE rowid IN (${hasOtherText})`
const addText = `INSERT INTO bulletins_fts(rowid, publicid, vendor, title) SELECT b.id, b.publicid, b.vendor, b.title
  FROM jsonb_each(?1) j JOIN bulletins b ON b.source = j.value->>1 AND b.publicid = j.value->>0
  WHERE NOT EXISTS (SELECT 1 FROM bulletins_fts f WHERE f.rowid = b.id)`
const unlinkVulns = `DELETE FROM bulletin_vulns WHERE (bulletin_id, cveid) IN (
  SELECT l.bulletin_id, l.cveid FROM jsonb_each(?1) j
  JOIN bulletins b ON b.source = j.value->>1 AND b.publicid = j.value->>0
  JOIN bulletin_vulns l ON l.bulletin_id = b.id
  WHERE l.cveid NOT IN (SELECT c.value FROM jsonb_each(j.value, '$[2]') c))`
const linkVulns = `INSERT INTO bulletin_vulns(bulletin_id, cveid) SELECT b.id, c.value
  FROM jsonb_each(?1) j JOIN bulletins b ON b.source = j.value->>1 AND b.publicid = j.value->>0 JOIN jsonb_each(j.value, '$[2]') c
  WHERE TRUE ON CONFLICT DO NOTHING`

const selectEditions = `SELECT b.source, b.publicid, b.modified, hex(b.body) AS body, NULL AS version
  FROM jsonb_each(?1) j JOIN bulletins b ON b.source = j.value->>1 AND b.publicid = j.value->>0
  UNION ALL SELECT w.source, w.publicid, w.modified, NULL, w.version
  FROM jsonb_each(?1) j JOIN withdrawn_bulletins w ON w.source = j.value->>1 AND w.publicid = j.value->>0`
const namedIds = `SELECT b.id FROM jsonb_each(?1) j JOIN bulletins b ON b.source = j.value->>1 AND b.publicid = j.value->>0`
const withdraw = [
  `DELETE FROM monitored_bulletins WHERE bulletin_id IN (${namedIds})`,
  `DELETE FROM bulletin_vulns WHERE bulletin_id IN (${namedIds})`,
  `DELETE FROM bulletins_fts WHERE rowid IN (${namedIds})`,
  `DELETE FROM bulletins WHERE id IN (${namedIds})`,
  `INSERT INTO withdrawn_bulletins(publicid, source, version, modified)
    SELECT value->>0, value->>1, value->>2, value->>3 FROM jsonb_each(?1) WHERE TRUE
    ON CONFLICT DO UPDATE SET version = excluded.version, modified = excluded.modified`,
]
const forgetWithdrawn = `DELETE FROM withdrawn_bulletins WHERE (source, publicid) IN (SELECT value->>1, value->>0 FROM jsonb_each(?1))`
const countBulletins = sql`INSERT INTO counters(name, value) SELECT 'bulletins', count(*) FROM bulletins
  WHERE TRUE ON CONFLICT(name) DO UPDATE SET value = excluded.value WHERE excluded.value <> counters.value`

type Name = Pick<Bulletin, 'source' | 'publicid'>
export const nameDocument = ({ source, publicid }: Name) => `${source} ${publicid}`

type Edition = Pick<Bulletin, 'modified' | 'version'>
export type WithdrawnBulletin = Name & Edition

/**
 * Below zero where the first is older, by its version, an integer or a semantic one (CSAF 2.0, 3.1.11), and by its date. Versions that are
 * counted in two ways tell nothing.
 */
export const compareEditions = (one: Edition, other: Edition) => ({
  byVersion: isWhole(one) === isWhole(other) ? (compareVersions('semver', one.version, other.version) ?? 0) : 0,
  byDate: compareText(one.modified, other.modified),
})

const isWhole = ({ version }: Edition) => /^\d+$/.test(version)

const compareInTurn = (one: Edition, other: Edition) => {
  const { byVersion, byDate } = compareEditions(one, other)
  return byVersion || byDate
}

/** Stored documents and what was withdrawn, by `nameDocument`. */
export async function findEditions(db: Db, names: Name[]) {
  const rows = names.map(({ publicid, source }) => [publicid, source])
  const found = await readBulk<Name & { modified: string; body: string; version: string | null }>(
    db,
    selectEditions,
    rows,
  )
  const editions = found.map(({ body, version, ...one }) => {
    const is_withdrawn = version !== null
    return { ...one, is_withdrawn, version: version ?? StoredBody.parse(unpack(body)).version }
  })
  return new Map(editions.map((one) => [nameDocument(one), one]))
}

const StoredBody = z.object({ version: z.string() })

export function bulletinStatements(db: Db, bulletins: Bulletin[], withdrawn: WithdrawnBulletin[]) {
  const byEdition = [...bulletins, ...withdrawn].toSorted(compareInTurn)
  const newest = new Map(byEdition.map((one) => [nameDocument(one), one]))
  const isNewest = (one: WithdrawnBulletin) => newest.get(nameDocument(one)) === one
  const latest = bulletins.filter(isNewest)
  const rows = latest.map((one) => [
    one.publicid,
    one.source,
    one.vendor,
    one.title,
    one.severity,
    one.impact,
    one.link,
    one.published,
    one.modified,
    one.hash,
    pack(one.body),
  ])
  const links = latest.map(({ publicid, source, cveids }) => [publicid, source, cveids])
  const gone = withdrawn.filter(isNewest).map((one) => [one.publicid, one.source, one.version, one.modified])
  return {
    // Removes changed texts from the index first: after the upsert nothing tells which ones changed.
    listed: [...bulk(db, dropText, rows), ...bulk(db, upsertBulletins, rows)],
    more: [
      ...bulk(db, addText, rows),
      ...bulk(db, unlinkVulns, links),
      ...bulk(db, linkVulns, links),
      ...bulk(db, forgetWithdrawn, links),
      ...withdraw.flatMap((query) => bulk(db, query, gone)),
      statement(db, countBulletins),
    ],
  }
}
