/** Bindings and settings of the Worker; see wrangler.toml. */
export type Env = {
  DB: D1Database
  ASSETS: Fetcher
  FEEDS: Queue<FeedMessage>
  ALERTS: Queue<AlertMessage>
  DELIVERIES: Queue<DeliveryMessage>
  MAIL: SendEmail
  /** Counts requests by address, in front of everything; absent where the platform has none. */
  RATE_LIMIT?: RateLimit

  /** Signs tokens and derives keys; at least 32 characters. */
  APP_SECRET: string
  /** The address users open, without a trailing slash. */
  APP_URL: string
  MAIL_FROM: string
  /** smtp://user:password@host:port or smtps://…; when set, mail goes there instead of to the MAIL binding. */
  SMTP_URL?: string

  NVD_FEED_URL: string
  NVD_API_URL: string
  NVD_API_KEY?: string
  /** Seconds between two requests to the NVD API; default 6, with a key 1. */
  NVD_PAUSE_SECONDS?: string
  KEV_URL: string
  EPSS_URL: string
  /** Where the other feeds read from; one that is absent or empty is switched off. */
  CVE_LIST_URL?: string
  /** Where one record of the CVE list is asked for. */
  CVE_API_URL?: string
  OVERRIDES_URL?: string
  EXPLOITDB_URL?: string
  METASPLOIT_URL?: string
  POC_URL?: string
  NUCLEI_URL?: string
  CWE_URL?: string
  CAPEC_URL?: string
  /** Bundles of ATT&CK, separated by spaces. */
  ATTACK_URLS?: string
  /** The bucket of OSV, and which ecosystems are read, separated by commas. */
  OSV_URL?: string
  OSV_ECOSYSTEMS?: string
  GHSA_URL?: string
  GITHUB_TOKEN?: string
  REDHAT_URL?: string
  /** Seconds between two steps of 400 CVEs; default 60. */
  REDHAT_PAUSE_SECONDS?: string
  /** Folders of CSAF providers, separated by spaces. */
  CSAF_URLS?: string

  /** The first global admin, made when there is no user yet. */
  ADMIN_USERNAME?: string
  ADMIN_PASSWORD?: string
  ADMIN_EMAIL?: string
  /** Turnstile on the public forms; off without them. */
  TURNSTILE_SITE_KEY?: string
  TURNSTILE_SECRET?: string
  /** '1' adds a Server-Timing header with the database queries and rows of a request. */
  METER?: string
}

export type FeedMessage = { feed_id: string; run_id: number; step: number }
export type AlertMessage = { reason: 'changes' }
export type DeliveryMessage = { reason: 'due' }
