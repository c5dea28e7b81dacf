import type { Db } from '../db/open'
import type { Actor } from '../domain/people/access'
import { maxRows } from '../exploits/contract'
import { findVulnMetadata } from '../exploits/find'
import { exploitKind, threatKind } from '../exploits/kinds'
import { getVulnDetail } from '../vulns/detail/detail'

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
