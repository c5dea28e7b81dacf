import type { Env } from '../../../worker/env'

/** Switches off the feeds that a journey is not about. */
export const otherFeedsOff = {
  CVE_LIST_URL: '',
  OVERRIDES_URL: '',
  OSV_URL: '',
  GHSA_URL: '',
  REDHAT_URL: '',
  EXPLOITDB_URL: '',
  METASPLOIT_URL: '',
  POC_URL: '',
  NUCLEI_URL: '',
  CWE_URL: '',
  CAPEC_URL: '',
  ATTACK_URLS: '',
  CSAF_URLS: '',
} satisfies Partial<Env>
