import { expect, test } from 'vitest'
import sentences from '../golden/alert-sentences.json'
import { describeAlert } from '../../worker/alerts/channels/facts'
import { alertMail } from '../../worker/alerts/channels/email'
import { fireChanges, findTaken, type ChannelRules, type JudgedVuln } from '../../worker/domain/alerts/alert-judge'
import type { AlertRule } from '../../worker/domain/alerts/alert-rules'
import { findChangeKind, type VulnChange } from '../../worker/domain/alerts/change'
import type { CraEvent } from '../../worker/domain/decisions/cra'
import { shortName } from '../../worker/domain/names/product'
import type { VulnDetail } from '../../worker/vulns/detail/contract'

/** `rule` where no change tells it; `told`: the subject, and the lines of the mail before its first link. */
type Golden = {
  what: string
  is_new?: boolean
  changes: VulnChange[]
  due?: string
  cra?: CraEvent
  rule?: AlertRule
  vuln: Partial<VulnDetail>
  told: string[]
}

/** Real vulnerabilities of the mirror as an organization had them, each read by eye: true, and without contradiction. */
const golden = sentences as unknown as Golden[]

const takesAll = {
  ...Object.fromEntries(
    ['new', 'update', 'exploitable', 'kev', 'fix', 'malicious', 'score', 'cvss', 'cvss3', 'epss'].map((one) => [
      `on_${one}`,
      true,
    ]),
  ),
  score_value: 80,
  cvss_value: 8,
  cvss3_value: 8,
  epss_value: '50%',
  min_score: null,
  only_exploited: false,
  groups: [],
  inventories: [],
  views: [],
  verdicts: [],
} as unknown as ChannelRules

const names = ['title', 'cveid', 'cwe_name', 'kev', 'due', 'due_reason', 'score', 'epss', 'epss_percentile']
const scores = ['cvss', 'cvss3', 'cvss4', 'cvss_vector', 'cvss3_vector', 'cvss4_vector']
const lists = ['aliases', 'references', 'reflinks', 'unknown_flags', 'affected', 'affected_packages', 'affected_items']
const others = ['monitored_by', 'uncompared', 'runs', 'safe_upgrades']
const fill = (keys: string[], value: unknown) => Object.fromEntries(keys.map((key) => [key, value]))
const empty = {
  ...fill([...names, ...scores], null),
  ...fill([...lists, ...others], []),
  summary: '',
  product_count: 0,
}

function findRule({ is_new = false, changes, rule, vuln }: Golden) {
  const judged = { ...empty, ...vuln, is_kev: vuln.is_in_the_wild === true } as unknown as JudgedVuln
  const log = [{ kind: findChangeKind(changes) ?? 'minor', changes }]
  return rule ?? findTaken(takesAll, fireChanges(log, is_new, judged), judged)[0]
}

async function tell(one: Golden) {
  const rule = findRule(one)
  if (!rule) return ['No channel takes it']
  const { is_new = false, changes, due = null, cra = null } = one
  const { id, cveid } = one.vuln
  const vuln = { ...empty, known_as: cveid ?? `PH-${id}`, ...one.vuln } as unknown as VulnDetail
  const place = { id: 1, org_id: 1, org_name: 'Acme', at: '2026-11-20T08:30:00Z' }
  const source = { ...place, is_new, changes, due, cra, was_snoozed: false, vuln }
  const app_url = 'https://earshot.example'
  const given = { to: '', from: '', app_url, delivery_id: 1, way: { headers: {}, text: '' } }
  const { subject, text } = await alertMail(describeAlert(source, rule, app_url), given)
  const lead = text.slice(0, text.indexOf('Open in Earshot'))
  return [subject, ...lead.split('\n').slice(1).filter(Boolean)]
}

test.each(golden)('$what', async (one) => {
  const told = await tell(one)
  expect(told).toEqual(one.told)
  const [subject = '', ...lines] = told
  // The subject names what it is about, and nothing says that all is affected where somebody cannot tell.
  const { monitored_by = [], runs = [] } = one.vuln
  const named = [...monitored_by.map(shortName), ...runs.map(({ name }) => name)]
  expect(named.some((name) => subject.includes(name))).toBe(true)
  if (/Cannot tell|\(unknown\)/.test(lines.join('\n'))) expect(lines.join('\n')).not.toMatch(/: affected all versions/)
})
