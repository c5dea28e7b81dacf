import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { hasFormOfId, parsePhId, readCveId } from '../domain/names/cve'
import { parseCpe } from '../domain/names/cpe'
import { parsePurl } from '../domain/names/purl'
import { completeCpe } from '../domain/query/values'
import { ExploitQuery, ThreatQuery } from '../exploits/contract'
import type { Viewer } from '../exploits/columns'
import { findMetadata } from '../exploits/find'
import { exploitKind, threatKind } from '../exploits/kinds'
import { VulnQuery } from '../vulns/contract'
import { findVulns } from '../vulns/list/find'
import { packagesNamed, productsOfCpe, vulnsNamed } from '../vulns/names'
import { isVisible } from '../watchlist/visible'

type Request = { search: string; limit: number; now: Date }

/** The share of the answer reserved for exploits, and for threat activities, if the text finds any. */
const reserved = 0.25

export async function findAll(db: Db, viewer: Viewer, { search, limit, now }: Request) {
  if (!search) return []
  const page = { search, limit, page: 1 }
  const [vulns, exploits, threats] = await Promise.all([
    findVulns(db, { org_id: viewer.org_id, now }, VulnQuery.parse({ ...page, sorted_by: 'relevance', count: 'quick' })),
    findMetadata(db, viewer, exploitKind, ExploitQuery.parse({ ...page, count: 'quick' })),
    findMetadata(db, viewer, threatKind, ThreatQuery.parse({ ...page, count: 'quick' })),
  ])
  const share = Math.floor(limit * reserved)
  const others = Math.min(exploits.results.length, share) + Math.min(threats.results.length, share)
  const shownVulns = vulns.results.slice(0, Math.max(limit - others, 1))
  const room = limit - shownVulns.length
  const shownThreats = threats.results.slice(0, Math.max(room - exploits.results.length, Math.min(share, room)))
  const shownExploits = exploits.results.slice(0, room - shownThreats.length)
  return [
    ...shownVulns.map((value) => ({ type: 'vuln' as const, value })),
    ...shownExploits.map((value) => ({ type: 'exploit' as const, value })),
    ...shownThreats.map((value) => ({ type: 'threat' as const, value })),
  ]
}

export async function findTarget(db: Db, org_id: number, text: string) {
  const term = text.trim()
  const cpe = /^cpe:/i.test(term) ? parseCpe(completeCpe(term)) : null
  if (cpe) {
    const version = ['*', '-'].includes(cpe.version) ? null : cpe.version
    return only(await db.all(sql`${productsOfCpe(term)} LIMIT 2`), 'product', version)
  }
  const purl = /^pkg:/i.test(term) ? parsePurl(term) : null
  if (purl)
    return only(await db.all(sql`${packagesNamed('eq', `${purl.type}:${purl.name}`)} LIMIT 2`), 'package', purl.version)
  return only(await findNamedVulns(db, org_id, term), 'vuln')
}

async function findNamedVulns(db: Db, org_id: number, term: string): Promise<{ id: number }[]> {
  const named = namedBy(term)
  return named ? db.all(sql`SELECT vulns.id FROM vulns WHERE ${named} AND ${isVisible(org_id)} LIMIT 2`) : []
}

function namedBy(term: string) {
  const phId = parsePhId(term)
  if (phId !== null) return sql`vulns.id = ${phId}`
  const cveid = readCveId(term)
  if (cveid) return sql`vulns.cveid = ${cveid}`
  return hasFormOfId(term) ? sql`vulns.id IN (${vulnsNamed(term)})` : undefined
}

type Type = 'vuln' | 'product' | 'package'

/** A name of several things names none of them. */
function only(found: { id: number }[], type: Type, version: string | null = null) {
  const [first, second] = found
  return first && !second ? { type, id: first.id, version } : null
}
