export type Env = {
  DB: D1Database
  ASSETS: Fetcher
  JOBS: Queue<JobsMessage>
  FEEDS: Queue<FeedMessage | AskMessage>
  ALERTS: Queue<AlertMessage>
  VERDICTS: Queue<VerdictMessage>
  DELIVERIES: Queue<DeliveryMessage>
  MAIL: SendEmail
  /** Nightly backups of organizations, encrypted; none without it. */
  BACKUPS?: R2Bucket
  /** Metrics of how the service runs; none without it. */
  METRICS?: AnalyticsEngineDataset
  /** Counts requests by address, in front of everything; absent where the platform has none. */
  RATE_LIMIT?: RateLimit
  /** Counts calls by API token or user, over all isolates of a place; absent where the platform has none. */
  RATE_LIMIT_API?: RateLimit
  /** Multiplies the allowed rate of calls; for load tests. */
  RATE_SCALE?: string

  /** '0' without Cloudflare in front: then we do not believe the caller's own address header. */
  TRUST_PROXY?: string
  /** '0': nothing of what anybody may read is kept at the edge. */
  EDGE_CACHE?: string

  /** Signs tokens and derives keys; at least 32 characters. */
  APP_SECRET: string
  /** The former secret, for a day after a rotation: then nothing needs it any more. */
  APP_SECRET_PREVIOUS?: string
  /** The address users open, without a trailing slash. */
  APP_URL: string
  MAIL_FROM: string
  /** Help and the API's document show these. */
  APP_VERSION?: string
  APP_EDITION?: string
  APP_BUILD?: string
  /** The target of “Contact us”; without one the link is absent. */
  SUPPORT_EMAIL?: string
  /** Pages of who runs this Earshot: sign-up links the first two, the end of a trial the last. */
  TERMS_URL?: string
  PRIVACY_URL?: string
  PLANS_URL?: string
  /** smtps://user:password@host:port, smtp://… (with STARTTLS) or smtp+insecure://…; when set, mail goes there instead of to the MAIL binding. */
  SMTP_URL?: string

  /** `<ID>_URL`: the address from which a feed reads instead of its publisher; empty switches the feed off. */
  [address: `${string}_URL`]: string | undefined
  /** '1' switches off every feed that has no address here. */
  OFFLINE?: string
  /** '1': the feeds are read from a copy, which ends some day, and that is no fault. */
  FEEDS_ARE_COPIED?: string
  /** Hosts, as host or host:port, and IPv4 networks, as 10.0.0.0/8, that alert channels may write to, even without TLS; '1': all, for trials. */
  LOCAL_CHANNELS?: string
  /** Of these, as host or host:port, channels and providers may have other ports than 443 and 8443; separated by spaces or commas. */
  OUTGOING_HOSTS?: string
  /** Asked every five minutes while no job, no feed and nobody's alerts are late: a watch that hears nothing raises the alarm. */
  HEARTBEAT_URL?: string
  /** Secret that outside probes send with their reports; 16 characters or more, else no reports are taken. */
  PROBE_TOKEN?: string
  /** Mailed when a job, a feed or anybody’s alerts are late for longer than a look, and when nothing is any more. */
  ALARM_EMAIL?: string
  /** Asks the DNS over HTTPS; Cloudflare's when absent. */
  DNS_RESOLVER?: string
  NVD_API_KEY?: string
  /** Seconds between two requests to the NVD API; default 6, with a key 1. */
  NVD_PAUSE_SECONDS?: string
  /** Ecosystems of OSV to read, separated by commas. */
  OSV_ECOSYSTEMS?: string
  MALICIOUS_ECOSYSTEMS?: string
  GITHUB_TOKEN?: string
  /** Opens VulnCheck's catalogue of exploitation; without it that is not read. */
  VULNCHECK_KEY?: string
  /** Seconds between two steps of 400 CVEs; default 60. */
  REDHAT_PAUSE_SECONDS?: string

  /** The first global admin, created while there is no user. */
  ADMIN_USERNAME?: string
  ADMIN_PASSWORD?: string
  ADMIN_EMAIL?: string
  /** Turnstile on the public forms; off without them. */
  TURNSTILE_SITE_KEY?: string
  TURNSTILE_SECRET?: string
  /** '1' adds a Server-Timing header with the database queries and rows of a request. */
  METER?: string
  /** '0' keeps refused calls out of the platform's log. */
  NOTE_REFUSALS?: string
}

/** Jobs of a tick of the clock at that time. */
export type JobsMessage = { jobs: string[]; at: string }
export type FeedMessage = { feed_id: string; run_id: number; step: number }
/** Asks whether a feed has changed since its last run; `due` is the time that its row planned for it. */
export type AskMessage = { feed_id: string; due: string }
/** `resumed`: the alerts of an organization go on after a pause. */
export type AlertMessage = { reason: 'changes' | 'judged' } | { reason: 'resumed'; org_id: number }
export type VerdictMessage = { reason: 'due' }
export type DeliveryMessage = { reason: 'due' }
