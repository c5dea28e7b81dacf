import type { ChannelRow } from '../../../worker/alerts/channels/contract'
import { settingsChannels } from '../../../worker/domain/alerts/alert-rules'
import { newOrgRules } from '../../support/alert-settings'

const chat = { url: '', new_vuln: true, update_vuln: true }

/** The reply for a new organization. */
export const someAlertSettings = (given: object = {}) => ({
  org_id: 1,
  alerts_emails: ['a@example.org'],
  alerts_emails_max: 3,
  alerts_emails_unconfirmed: [] as string[],
  enable_email_alert_new_vuln: true,
  enable_email_alert_update_vuln: false,
  ...newOrgRules,
  alerts_slack: chat,
  ...given,
})

export const aChannel = (channel: ChannelRow['channel'], given: Partial<ChannelRow> = {}): ChannelRow => ({
  channel,
  is_configured: channel === 'email',
  url: '',
  apikey: '',
  signing: null,
  on_new: true,
  on_update: true,
  on_exploitable: false,
  on_kev: false,
  on_fix: false,
  on_malicious: true,
  on_due: false,
  on_end_of_life: false,
  on_cra: true,
  on_score: false,
  score_value: 80,
  on_cvss: false,
  cvss_value: 8,
  on_cvss3: false,
  cvss3_value: 8,
  on_epss: false,
  epss_value: '95th' as const,
  min_score: null,
  groups: [],
  inventories: [],
  views: [],
  verdicts: [],
  daily_max: 20,
  name: '',
  addresses: [],
  unconfirmed: [],
  template: '',
  only_exploited: false,
  escalate_to: '',
  escalate_minutes: 15,
  pace: 'now',
  pace_hour: 8,
  quiet_from: 0,
  quiet_to: 0,
  zone: '',
  last_success_at: null,
  failing_since: null,
  last_error: null,
  disabled_at: null,
  ...given,
})

/** Answers to the tab's requests. */
export const alertingAnswers = (
  settings = someAlertSettings(),
  channels: ChannelRow[] = settingsChannels.map((name) => aChannel(name)),
) => ({
  'GET /users/org/1/settings': () => ({ body: settings }),
  'GET /api/alerts/routes/': () => ({ body: channels }),
  'GET /api/alerts/feeds/': () => ({ body: [] }),
  'GET /api/views/': () => ({ body: [] }),
  'GET /api/inventories/': () => ({ body: { count: 0, count_is_exact: true, results: [] } }),
  'GET /api/monitor/groups': () => ({ body: ['dmz', 'office'] }),
})
