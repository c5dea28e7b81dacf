import type { Db } from '../db/open'
import type { Actor } from '../domain/people/access'
import { toV2Words } from '../domain/scores/cvss'
import { getVulnDetail } from '../vulns/detail/detail'
import { findManual, requireEditable } from './save'

export async function getEditable(db: Db, actor: Actor, id: number, now: Date) {
  await requireEditable(db, actor, id)
  const [vuln, manual] = await Promise.all([getVulnDetail(db, actor.org_id, id, now), findManual(db, id)])
  return {
    id,
    version: manual?.modified ?? null,
    products: vuln.affected.map(({ product_id, vendor, product }) => ({ id: product_id, vendor, name: product })),
    form: {
      cve_id: vuln.cveid ?? vuln.aliases[0] ?? '',
      scope: vuln.scope,
      summary: vuln.summary,
      published: vuln.published?.slice(0, 10) ?? '',
      cvss2: vuln.cvss,
      cvss2_vector: vuln.cvss_vector,
      cvss3: vuln.cvss3,
      cvss3_vector: vuln.cvss3_vector,
      cwe: vuln.cwe_ids[0] ?? '',
      // These fields are CVSS 2: a vector of another version would come back as a score that nobody gave.
      ...toV2Words(vuln.cvss_vector),
      references: vuln.reflinks,
      cpes: vuln.vulnerable_products,
      monitored: vuln.monitored,
      is_exploitable: vuln.is_exploitable,
      is_confirmed: vuln.is_confirmed,
      is_in_the_news: vuln.is_in_the_news,
      is_in_the_wild: vuln.is_in_the_wild,
    },
  }
}
