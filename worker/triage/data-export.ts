import { and, asc, eq, gte, isNull, lte, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { valuesTable } from '../db/values'
import { nobody } from '../exploits/columns'
import { exploitKind, threatKind, type MetadataKind } from '../exploits/kinds'
import { pageOffset } from '../http/page'
import { counters } from '../schema/counters'
import { vulns } from '../schema/vulns'
import type { ExportQuery } from './data-contract'
import type { Actor } from '../domain/people/access'
import { type ExploitRow, type ThreatRow, maxRows } from '../exploits/contract'
import { findVulnMetadata } from '../exploits/find'
import { findDetails, getVulnDetail } from '../vulns/detail/detail'

export async function findExportInfo(db: Db) {
  const end = (direction: 'ASC' | 'DESC') =>
    db
      .select({ at: vulns.updated_at })
      .from(vulns)
      .where(isNull(vulns.org_id))
      .orderBy(sql`updated_at ${sql.raw(direction)}`)
      .limit(1)
  const [[counted], [first], [last]] = await db.batch([
    db.select({ count: counters.value }).from(counters).where(eq(counters.name, 'vulns')),
    end('ASC'),
    end('DESC'),
  ])
  return { count: counted?.count ?? 0, from: first?.at ?? null, to: last?.at ?? null }
}

export async function findExported(db: Db, { since, to, page, limit }: ExportQuery, now: Date) {
  const found = await db
    .select({ id: vulns.id })
    .from(vulns)
    .where(
      and(
        isNull(vulns.org_id),
        since === undefined ? undefined : gte(vulns.updated_at, wholeTime(since, '00:00:00')),
        to === undefined ? undefined : lte(vulns.updated_at, wholeTime(to, '23:59:59')),
      ),
    )
    .orderBy(asc(vulns.updated_at), asc(vulns.id))
    .limit(limit)
    .offset(pageOffset({ page, limit }))
  const ids = found.map(({ id }) => id)
  const [details, exploits, threats] = await Promise.all([
    findDetails(db, nobody.org_id, ids, now),
    findShared(db, exploitKind, ids),
    findShared(db, threatKind, ids),
  ])
  return ids.flatMap((id) => {
    const vulnerability = details.get(id)
    return vulnerability ? [{ vulnerability, exploits: exploits(id), threats: threats(id) }] : []
  })
}

/** A day without a time is whole. */
const wholeTime = (text: string, time: string) => {
  const at = text.length === 10 ? `${text}T${time}` : text
  return new Date(at.endsWith('Z') ? at : `${at}Z`).toISOString().replace(/\.\d+Z$/, 'Z')
}

async function findShared<Row extends ExploitRow | ThreatRow, Query, Form>(
  db: Db,
  { table, findRows }: MetadataKind<Row, Query, Form>,
  vuln_ids: number[],
) {
  const ids = sql`(SELECT id AS item FROM ${table} WHERE org_id IS NULL AND vuln_id IN ${valuesTable(vuln_ids)})`
  const byVuln = Map.groupBy(await findRows(db, nobody, ids), ({ vuln_id }) => vuln_id)
  return (id: number) => byVuln.get(id) ?? []
}

const all = { page: 1, limit: maxRows, sorted_by: '-modified' } as const

export async function exportDetails(db: Db, actor: Actor, vuln_id: number, now: Date) {
  const [vulnerability, exploits, threats] = await Promise.all([
    getVulnDetail(db, actor.org_id, vuln_id, now),
    findVulnMetadata(db, actor, exploitKind, { ...all, vuln_id }),
    findVulnMetadata(db, actor, threatKind, { ...all, vuln_id }),
  ])
  return {
    vulnerability,
    exploits: exploits.results.filter(({ scope }) => scope === 'public'),
    org_exploits: exploits.results.filter(({ scope }) => scope === 'private'),
    threats: threats.results.filter(({ scope }) => scope === 'public'),
    org_threats: threats.results.filter(({ scope }) => scope === 'private'),
  }
}
