import { expect, test } from 'vitest'
import type { ChannelRules, JudgedVuln } from '../../worker/domain/alerts/alert-judge'
import type { VulnChange } from '../../worker/domain/alerts/change'
import { judgePast, unwindChanges } from '../../worker/domain/alerts/past'
import type { LoggedEntry, PastAlert, SeenFacts } from '../../worker/domain/alerts/past'

const silent: ChannelRules = {
  on_new: false,
  on_update: false,
  on_exploitable: false,
  on_kev: false,
  on_fix: false,
  on_malicious: false,
  on_due: false,
  on_cra: false,
  on_score: false,
  score_value: 80,
  on_cvss: false,
  cvss_value: 8,
  on_cvss3: false,
  cvss3_value: 8,
  on_epss: false,
  epss_value: '95th',
  min_score: null,
  groups: [],
  inventories: [],
  views: [],
  verdicts: [],
  only_exploited: false,
}
const today: JudgedVuln = {
  score: 70,
  is_score_provisional: false,
  cvss: null,
  cvss3: 7,
  epss: 0.9,
  epss_percentile: 0.99,
  is_exploitable: false,
  is_kev: false,
  is_malicious: false,
  is_rejected: false,
  groups: [],
  inventories: [],
  views: [],
  verdict: null,
}
const seen = (more: Partial<SeenFacts>): SeenFacts => ({
  to: 1,
  asked: { groups: ['dmz'], inventories: [3], views: [] },
  groups: [],
  inventories: [],
  views: [],
  verdict: null,
  epss: null,
  epss_percentile: null,
  reached: [],
  ...more,
})
const updated = (...changes: VulnChange[]): LoggedEntry => ({ seq: 1, kind: 'updated', changes })
const scored = (from: number | null, to: number | null): LoggedEntry => updated({ field: 'score', from, to })
const listed: LoggedEntry = updated({ field: 'kev_added_at', from: null, to: '2026-11-20' })
const risen = (to: number) => updated({ field: 'epss', from: 0.1, to: 0.5, percentiles: [0.4, to] })
const fallen = { ...today, epss: 0.1, epss_percentile: 0.4 }
const first: LoggedEntry = { seq: 1, kind: 'new', changes: [{ field: 'created', state: 'published' }] }

const cases: [name: string, verdict: string, rules: Partial<ChannelRules>, alert: Partial<PastAlert>][] = [
  ['a rule that is on', 'taken', { on_update: true }, { run: [updated()], is_known: true }],
  ['all rules off', 'left', {}, { run: [updated()], is_known: true }],
  ['a change of what may have been new', 'unsure', { on_update: true }, { run: [updated()] }],
  ['a change that either rule takes', 'taken', { on_update: true, on_new: true }, { run: [updated()] }],
  ['a vulnerability new to all', 'taken', { on_new: true }, { run: [first], is_known: true }],
  [
    'a score that rose since',
    'left',
    { on_update: true, min_score: 60 },
    { run: [updated()], later: [scored(50, 70)] },
  ],
  [
    'a score that fell since',
    'taken',
    { on_update: true, min_score: 80 },
    { run: [updated()], is_known: true, later: [scored(90, 70)] },
  ],
  [
    'a score that planning may have met',
    'unsure',
    { on_update: true, min_score: 60 },
    { run: [updated()], is_known: true, maybePlanned: [scored(50, 70)] },
  ],
  [
    'a threshold that was crossed',
    'taken',
    { on_score: true, score_value: 65 },
    { run: [scored(60, 70)], is_known: true },
  ],
  [
    'a threshold that was crossed only since',
    'left',
    { on_score: true, score_value: 65 },
    { run: [scored(50, 60)], is_known: true, later: [scored(60, 70)] },
  ],
  ['a group of then', 'unsure', { on_update: true, groups: ['dmz'] }, { run: [updated()], is_known: true }],
  [
    'a group of then that is on record',
    'taken',
    { on_update: true, groups: ['lan', 'dmz'] },
    {
      run: [updated()],
      is_known: true,
      seen: [seen({ asked: { groups: ['lan', 'dmz'], inventories: [], views: [] }, groups: ['dmz'] })],
    },
  ],
  [
    'an inventory of then that did not bring it',
    'left',
    { on_update: true, inventories: [3] },
    { run: [updated()], is_known: true, seen: [seen({})] },
  ],
  [
    'a verdict of then',
    'taken',
    { on_update: true, verdicts: ['confirmed'] },
    { run: [updated()], is_known: true, seen: [seen({ verdict: 'confirmed' })] },
  ],
  [
    'a view that nothing on record was asked for',
    'unsure',
    { on_update: true, views: [9] },
    { run: [updated()], is_known: true, seen: [seen({})] },
  ],
  [
    'an entry behind all that is on record',
    'unsure',
    { on_update: true, groups: ['dmz'] },
    { run: [{ ...updated(), seq: 2 }], is_known: true, seen: [seen({ groups: ['dmz'] })] },
  ],
  [
    'a group that the first of two plannings met, and the last did not',
    'unsure',
    { on_update: true, groups: ['dmz'] },
    { run: [updated(), { ...updated(), seq: 2 }], is_known: true, seen: [seen({ groups: ['dmz'] }), seen({ to: 2 })] },
  ],
  [
    'an EPSS of then on record, of what is new to all',
    'taken',
    { on_epss: true },
    { run: [first], is_known: true, seen: [seen({ epss: 0.5, epss_percentile: 0.97 })] },
  ],
  [
    'an EPSS of then below the mark',
    'left',
    { on_epss: true },
    { run: [first], is_known: true, seen: [seen({ epss: 0.1, epss_percentile: 0.2 })] },
  ],
  ['a group, but nothing that is switched on', 'left', { groups: ['dmz'] }, { run: [updated()], is_known: true }],
  [
    'an exploited one that was called so since',
    'unsure',
    { on_update: true, only_exploited: true },
    { run: [updated()], is_known: true, later: [listed] },
  ],
  [
    'one that CISA listed',
    'taken',
    { on_kev: true },
    { run: [listed], is_known: true, today: { ...today, is_kev: true } },
  ],
  ['a rise of EPSS', 'taken', { on_epss: true }, { run: [risen(0.97)], is_known: true, today: fallen }],
  ['a rise of EPSS below its mark', 'left', { on_epss: true }, { run: [risen(0.92)], is_known: true }],
  [
    'a rise of EPSS that may have gone on before it was planned',
    'unsure',
    { on_epss: true },
    { run: [risen(0.92)], maybePlanned: [risen(0.97)], is_known: true },
  ],
  ['an EPSS of what may have been new', 'unsure', { on_epss: true }, { run: [updated()] }],
  [
    'a rise of EPSS whose percentile an older log lacks',
    'unsure',
    { on_epss: true },
    { run: [updated({ field: 'epss', from: 0.1, to: 0.9 })], is_known: true },
  ],
  [
    'two entries of which each rule takes one',
    'taken',
    { on_kev: true },
    { run: [updated(), listed], is_known: true, today: { ...today, is_kev: true } },
  ],
  [
    'a score that it had only in between',
    'unsure',
    { on_update: true, min_score: 80 },
    { run: [scored(70, 90), scored(90, 70)], is_known: true },
  ],
  [
    'more entries than can be tried',
    'unsure',
    { on_update: true },
    { run: Array.from({ length: 7 }, () => updated()), is_known: true },
  ],
]
test.each(cases)('a channel and %s: %s', (_, verdict, own, alert) => {
  const rules = { ...silent, ...own }
  const past = { run: [], maybePlanned: [], later: [], today, is_known: false, seen: [], ...alert }
  expect(judgePast(past, { any: [rules], last: [rules] })).toBe(verdict)
})

test('rules that changed about then leave open what either does not say', () => {
  const past = { run: [updated()], maybePlanned: [], later: [], today, is_known: true, seen: [] }
  const on = { ...silent, on_update: true }
  expect(judgePast(past, { any: [on, silent], last: [on, silent] })).toBe('unsure')
  expect(judgePast(past, { any: [on, silent], last: [on] })).toBe('taken')
  expect(judgePast(past, { any: [silent, silent], last: [silent] })).toBe('left')
})

test('changes are undone from the last to the first', () => {
  const after = { ...today, score: 90, is_rejected: true, is_exploitable: true, is_malicious: true }
  const changes: VulnChange[] = [
    { field: 'score', from: null, to: 40, provisional: ['to'] },
    { field: 'score', from: 40, to: 90, provisional: ['from'] },
    { field: 'is_exploitable', to: true },
    { field: 'is_malicious', to: true },
    { field: 'state', from: 'published', to: 'rejected' },
  ]
  expect(unwindChanges(after, changes)).toEqual({ ...today, score: null, is_score_provisional: false })
  expect(unwindChanges(after, changes.slice(1))).toMatchObject({ score: 40, is_score_provisional: true })
})
