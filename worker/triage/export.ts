import type { Db } from '../db/open'
import type { Actor } from '../domain/access'
import { findVulnExploits } from '../exploits/find-exploits'
import { findVulnThreats } from '../exploits/find-threats'
import { getVulnDetail } from '../vulns/detail/detail'

const all = { page: 1, limit: 1_000, sorted_by: '-modified' } as const

/** A vulnerability with its exploits and threat activities, those of the organization apart (API.md, Vulnerabilities). */
export async function exportDetails(db: Db, actor: Actor, vuln_id: number, now: Date) {
  const [vulnerability, exploits, threats] = await Promise.all([
    getVulnDetail(db, actor.org_id, vuln_id, now),
    findVulnExploits(db, actor, vuln_id, all),
    findVulnThreats(db, actor, vuln_id, all),
  ])
  return {
    vulnerability,
    exploits: exploits.results.filter(({ scope }) => scope === 'public'),
    org_exploits: exploits.results.filter(({ scope }) => scope === 'private'),
    threats: threats.results.filter(({ scope }) => scope === 'public'),
    org_threats: threats.results.filter(({ scope }) => scope === 'private'),
  }
}
