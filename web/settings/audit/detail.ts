import { epssRank } from '../../../worker/domain/scores/epss'
import { formatDateTime } from '../../lib/format'

const names = new Map([
  ['by', 'with'],
  ['email', 'e-mail'],
  ['expires_at', 'ends'],
  ['is_active', 'enabled'],
  ['is_enabled', 'enabled'],
  ['is_new', 'a new account'],
  ['keep_access', 'passkeys and API tokens kept'],
  ['on_cra', 'alert of a report of the CRA'],
  ['on_cvss', 'alert when CVSS v2 is reached'],
  ['on_cvss3', 'alert when CVSS v3 is reached'],
  ['on_due', 'alert of what is due or overdue'],
  ['on_end_of_life', 'mail and chat before support ends'],
  ['on_epss', 'alert of a rise of EPSS'],
  ['on_exploit', 'alert of a first exploit'],
  ['on_exploitable', 'alert of a first exploit'],
  ['on_fix', 'alert of a fix'],
  ['on_kev', 'alert of CISA KEV'],
  ['on_malicious', 'alert of a malicious package'],
  ['on_new', 'alert of a new vulnerability'],
  ['on_score', 'alert when the score is reached'],
  ['on_update', 'alert of a changed vulnerability'],
  ['proved_by', 'proved by'],
  ['trial_ends_at', 'the trial ends'],
])
const values = new Map([
  ['by code', 'password and code'],
  ['by provider', 'the company account'],
  ['proved_by admin', 'a global admin'],
  ['proved_by dns', 'its DNS record'],
])
const isMoment = (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(text)

export function describeDetail(detail: string) {
  try {
    const told = Object(JSON.parse(detail))
    if (told.kind === 'snoozed' || told.kind === 'accepted') return describeQuiet(told)
    return Object.entries(told)
      .filter(([, value]) => !isNothing(value))
      .map(([name, value]) => `${names.get(name) ?? name.replaceAll('_', ' ')}: ${formatNamed(name, value)}`)
      .join(' · ')
  } catch {
    return detail
  }
}

const happenings = [
  ['on_fix', 'a fix is published'],
  ['on_kev', 'CISA lists it as exploited'],
  ['on_exploit', 'an exploit is seen'],
] as const

/** How long a vulnerability is quiet, and why. */
function describeQuiet({ until, epss_above, epss_percentile_above, reason, ...told }: Record<string, unknown>) {
  const ends = [
    ...(until ? [String(until)] : []),
    ...happenings.flatMap(([name, words]) => (told[name] ? [words] : [])),
    ...(typeof epss_above === 'number' ? [`EPSS is above ${epss_above}`] : []),
    ...(typeof epss_percentile_above === 'number'
      ? [`EPSS is higher than that of ${epssRank(epss_percentile_above)} of all`]
      : []),
  ]
  return [...(ends.length ? [`until ${ends.join(', or ')}`] : []), ...(reason ? [String(reason)] : [])].join(' · ')
}

// A rule that is switched on or off is stored as a number, and a list as its JSON.
function formatNamed(name: string, value: unknown): string {
  if ((name.startsWith('on_') || name.endsWith('_report')) && typeof value === 'number') return value ? 'yes' : 'no'
  const known = typeof value === 'string' && values.get(`${name} ${value}`)
  if (known) return known
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return formatValue(value)
  try {
    return formatValue(JSON.parse(value))
  } catch {
    return value
  }
}

const isNothing = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0)

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(formatValue).join(', ')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string' && isMoment(value)) return formatDateTime(value)
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, part]) => `${name.replaceAll('_', ' ')} ${formatValue(part)}`)
    .join(', ')
}
