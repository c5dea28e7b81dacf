import { asc, desc, eq, sql, type SQL } from 'drizzle-orm'
import * as z from 'zod'
import { ftsWords } from '../db/fts'
import type { Db } from '../db/open'
import { notFound } from '../http/errors'
import { pageOffset, type Found } from '../http/page'
import type { WeaknessDetail, WeaknessQuery, WeaknessRow } from './contract'
import { counters } from '../schema/counters'
import { attackPatterns, patternTechniques, techniques, weaknesses, weaknessPatterns } from '../schema/taxonomy'
import { cweNumber, findRefs, noRefs } from './refs'

const weaknessColumns = { id: weaknesses.id, name: weaknesses.name, description: weaknesses.description }

/** An id finds its weakness; words are searched in names and descriptions. */
export async function findWeaknesses(db: Db, { search, ...query }: WeaknessQuery): Promise<Found<WeaknessRow>> {
  const id = search ? cweNumber(search) : null
  const words = search && id === null ? ftsWords(search) : null
  if (search && id === null && !words) return { count: 0, results: [] }

  const hits = sql`SELECT rowid FROM weaknesses_fts WHERE weaknesses_fts MATCH ${words}`
  const where = id !== null ? eq(weaknesses.id, id) : words ? sql`${weaknesses.id} IN (${hits})` : undefined
  const [rows, counted] = await db.batch([
    db
      .select(weaknessColumns)
      .from(weaknesses)
      .where(where)
      .orderBy(query.sorted_by === '-id' ? desc(weaknesses.id) : asc(weaknesses.id))
      .limit(query.limit)
      .offset(pageOffset(query)),
    where ? countMatching(db, where) : countAll(db),
  ])
  const refs = await findRefs(
    db,
    rows.map((row) => row.id),
  )
  const results = rows.map((row) => ({ ...row, cwe_id: `CWE-${row.id}`, refs: refs.get(row.id) ?? noRefs() }))
  return { results, count: counted[0]?.count ?? 0 }
}

const countMatching = (db: Db, where: SQL) =>
  db
    .select({ count: sql<number>`count(*)`.as('count') })
    .from(weaknesses)
    .where(where)

// The feed stores this number when it has run.
const countAll = (db: Db) =>
  db
    .select({ count: sql<number>`coalesce((SELECT value FROM ${counters} WHERE name = 'weaknesses'), 0)`.as('count') })
    .from(sql`(SELECT 1)`)

const Related = z.array(z.tuple([z.string(), z.int()]))

export async function getWeaknessDetail(db: Db, id: number): Promise<WeaknessDetail> {
  const patternIds = sql`(SELECT pattern_id FROM ${weaknessPatterns} WHERE weakness_id = ${id})`
  const [[weakness], related, patterns, patternUses] = await db.batch([
    db.select().from(weaknesses).where(eq(weaknesses.id, id)),
    db
      .select(weaknessColumns)
      .from(weaknesses)
      .where(sql`id IN (SELECT j.value->>1 FROM ${weaknesses} w, json_each(w.related) j WHERE w.id = ${id})`),
    db
      .select()
      .from(attackPatterns)
      .where(sql`${attackPatterns.id} IN ${patternIds}`)
      .orderBy(attackPatterns.id),
    db
      .select({
        pattern_id: patternTechniques.pattern_id,
        external_id: techniques.external_id,
        name: techniques.name,
        url: techniques.url,
        description: techniques.description,
        domains: techniques.domains,
      })
      .from(patternTechniques)
      .innerJoin(techniques, eq(techniques.external_id, patternTechniques.external_id))
      .where(sql`${patternTechniques.pattern_id} IN ${patternIds}`)
      .orderBy(techniques.external_id),
  ])
  if (!weakness) throw notFound('Weakness')

  const refs = await findRefs(db, [id])
  const names = new Map(related.map(({ id: related_id, name }) => [related_id, name]))
  const techniquesById = new Map(
    patternUses.map(({ pattern_id: _, ...technique }) => [technique.external_id, technique]),
  )
  return {
    ...weakness,
    cwe_id: `CWE-${id}`,
    refs: refs.get(id) ?? noRefs(),
    related: Related.parse(JSON.parse(weakness.related)).map(([nature, related_id]) => ({
      nature,
      id: related_id,
      cwe_id: `CWE-${related_id}`,
      name: names.get(related_id) ?? null,
    })),
    patterns: patterns.map(({ id: pattern_id, ...pattern }) => ({
      ...pattern,
      capec_id: `CAPEC-${pattern_id}`,
      technique_ids: patternUses.filter((use) => use.pattern_id === pattern_id).map((use) => use.external_id),
    })),
    techniques: [...techniquesById.values()].map((technique) => ({
      ...technique,
      domains: z.array(z.string()).parse(JSON.parse(technique.domains)),
    })),
  }
}
