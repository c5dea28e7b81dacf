import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { aVuln } from './rows'

export const aVulnDetail = (given: Partial<VulnDetail> = {}): VulnDetail => ({
  ...aVuln(),
  title: null,
  kev: null,
  cvss_source: null,
  cvss3_source: null,
  cvss4_source: null,
  cwe_ids: [],
  cwe_name: null,
  cwe_refs: { CAPEC: [], 'MITRE-ATTACK': [] },
  attack_techniques: [],
  reflinks: [],
  references: [],
  vulnerable_products: [],
  vulnerable_product_versions: {},
  affected: [],
  affected_packages: [],
  vulnerable_packages_versions: {},
  aliases: [],
  ssvc: null,
  provenance: {},
  monitored_by: [],
  rating_vector: null,
  sources: [],
  ...given,
})
