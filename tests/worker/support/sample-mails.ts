import { describeAlert, type AlertSource } from '../../../worker/alerts/channels/facts'
import { alertMail, digestMail } from '../../../worker/alerts/channels/email'
import { alreadySubscribedNotice, confirmSubscriptionNotice, issueMail } from '../../../worker/newsletter/mails'
import type { ReportFacts, ReportRow } from '../../../worker/alerts/reports/contract'
import { reportMail } from '../../../worker/alerts/reports/mail'
import { newDeviceNotice } from '../../../worker/auth/new-device'
import {
  addressAskedNotice,
  addressChangedNotice,
  confirmAddressNotice,
  lostPasswordNotice,
  passwordChange,
  securityNotice,
} from '../../../worker/auth/security-notice'
import { productLabel } from '../../../worker/domain/names/product'
import type { AlertRule } from '../../../worker/domain/alerts/alert-rules'
import type { Env } from '../../../worker/env'
import {
  accountExistsNotice,
  alertAddressNotice,
  invitationNotice,
  resetNotice,
  trialNotice,
} from '../../../worker/orgs/mails'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { vulnMail } from '../../../worker/vulns/mail'
import { sampleNotices } from './sample-notices'
import { sampleVuln } from './sample-vuln'

const app_url = 'https://earshot.example'
const env = { APP_URL: app_url, MAIL_FROM: 'Earshot <alerts@earshot.example>' } as Env
const to = 'kim@acme.example'
const token = 'cU0pZ8w7m1xTq3o8s2R4vN6bY5k9LdEfGhJiKlMnOpQ'

const links = {
  acknowledge: `${app_url}/public/alerts/acknowledge/5.${token}`,
  snooze: `${app_url}/public/alerts/snooze/5.${token}`,
}
const alert = (rule: AlertRule, of: VulnDetail, more: Partial<AlertSource> = {}) =>
  describeAlert(
    {
      id: 5,
      org_id: 3,
      org_name: 'Acme Corporation',
      is_new: rule === 'new',
      at: '2026-11-22T02:10:00Z',
      due: null,
      cra: null,
      was_snoozed: false,
      changes:
        rule === 'new'
          ? [{ field: 'created', state: 'published' }]
          : [
              { field: 'kev_added_at', from: null, to: '2026-11-20' },
              { field: 'epss', from: 0.12, to: 0.8572 },
              { field: 'fixes', added: ['tukaani:xz 5.6.2'], count: 1 },
            ],
      vuln: of,
      ...more,
    },
    rule,
    app_url,
    links,
  )

const nfv = 'enterprise_linux_for_real_time_for_nfv_tus'
const aRow = (id: number, more: Partial<ReportRow> = {}): ReportRow => ({
  is_score_provisional: false,
  id,
  name: `CVE-2026-${20_000 + id}`,
  summary: 'A heap buffer overflow in the parser lets a remote visitor run code with the rights of the service.',
  is_new: id % 2 === 0,
  is_held: false,
  score: 90 - id * 7,
  cvss: id % 3 ? '9.8 Critical' : null,
  epss: '12.4%',
  kev: id === 1,
  is_exploitable: id < 3,
  exploit_count: id < 3 ? 4 : 0,
  products: id % 2 ? [productLabel('tukaani', 'xz')] : [productLabel('redhat', nfv), 'deb · openssh'],
  verdict: id === 1 ? 'confirmed' : null,
  changed: ['CVSS 3: 7.5 → 9.8', 'Fix published (Tukaani · XZ 5.6.2)'],
  ...more,
})
const rows = [1, 2, 3, 4, 5].map((id) => aRow(id, { is_held: id === 4 }))
const report: ReportFacts = {
  org_name: 'Acme Corporation',
  kind: 'weekly',
  period: '2026-11-16',
  starts_at: '2026-11-09T07:00:00Z',
  ends_at: '2026-11-16T07:00:00Z',
  time_zone: 'Europe/Berlin',
  open: { critical: 14, high: 120, medium: 388, low: 61, unscored: 9 },
  overdue: 0,
  soon: 0,
  new: 2,
  updated: 3,
  fixed: 6,
  kev: 2,
  highest: { score: 91, is_score_provisional: false },
  held: 1,
  untold: 1,
  parked: 0,
  held_pages: [1],
  support_ends: [
    'OpenSSL 3.0 ended on 2026-09-07: no fix will come; 3.5 is supported until 2030-04-08. Runs as openssl:openssl 3.0.6.',
  ],
  more_ends: 0,
  pages: 1,
  rows,
  more: 12,
}

type Sample = { subject: string; html: string; text: string }

/** Every mail that goes out, as its readers get it. */
export async function sampleMails(): Promise<Record<string, Sample>> {
  const unsubscribe = `Unsubscribe: ${app_url}/public/alerts/leave/3.a2ltQGFjbWUuZXhhbXBsZQ.${token}`
  const given = { to, from: env.MAIL_FROM, app_url, delivery_id: 9, way: { headers: {}, text: unsubscribe } }
  const unscored = {
    ...sampleVuln,
    cveid: null,
    known_as: 'PH-12',
    score: null,
    cvss3: null,
    cvss3_vector: '',
    epss: null,
    kev: null,
    title: null,
    references: [],
    is_in_the_wild: false,
    is_exploitable: false,
    exploit_count: 0,
    runs: [],
    monitored_by: sampleVuln.monitored_by.slice(0, 1),
  }
  const malicious: VulnDetail = {
    ...unscored,
    known_as: 'MAL-2025-46969',
    title: null,
    summary: 'Malicious code in chalk (npm)',
    score: 100,
    is_score_provisional: true,
    is_malicious: true,
    is_in_the_wild: true,
    monitored_by: [{ via: 'inventory', id: 4, name: 'shop', vendor: null }],
    runs: [
      {
        via: 'inventory',
        id: 4,
        name: 'chalk',
        vendor: 'shop',
        versions: [
          {
            version: '5.6.1',
            verdict: 'confirmed',
            source: 'malicious',
            statement: '= 5.6.1',
            fixed_in: null,
            first_unlisted: null,
            support: null,
          },
        ],
      },
    ],
    affected: [],
    affected_packages: [],
    affected_items: [],
    product_count: 0,
    reflinks: ['https://osv.dev/vulnerability/MAL-2025-46969'],
  }
  const came = ['Nobody acknowledged it at Slack 2', 'Nobody is on duty by the rota of this receiver']
  const long: VulnDetail = {
    ...sampleVuln,
    summary: `${'Averylongwordwithoutanybreak'.repeat(8)} <b>not bold</b> & \u202Eright to left\u202C ${'more words '.repeat(60)}`,
    monitored_by: [
      { via: 'product', id: 9, name: 'an_extremely_long_product_name_'.repeat(4), vendor: 'vendor_'.repeat(9) },
    ],
    runs: [],
  }
  const made = async (facts: ReportFacts) => {
    const mail = await reportMail(facts, { app_url, report_url: `${app_url}/reports/weekly/2026-11-16?org=3` })
    const sealed = 'Seal of the ledger to 2026-11-12: Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmE'
    const footer = `You receive this because ${facts.org_name} lists ${to} for its reports.\n${unsubscribe}\n${sealed}`
    return { subject: mail.subject, html: await mail.html(footer), text: mail.text(footer) }
  }
  const details = await vulnMail(sampleVuln, {
    title: 'PH-12 / CVE-2024-3094: vulnerability details',
    footer: `kim of Acme Corporation sent you this from Earshot (${app_url}).`,
    app_url,
  })
  const items = rows.map(({ id, name, summary, score }) => ({
    id,
    name,
    summary,
    score,
    reasons: [
      'Known to be exploited since 2026-11-12 (CISA KEV)',
      'EPSS rose from 1.2% to 41.0%',
      `Score ${score}/100`,
    ],
  }))
  const issue = await issueMail(env, { day: '2026-11-16', items })
  const shortIssue = await issueMail(env, { day: '2026-11-16', items: items.slice(0, 1) })
  return {
    alert: await alertMail(alert('kev', sampleVuln), given),
    'alert-unscored': await alertMail(alert('new', unscored), given),
    'alert-malicious': await alertMail(
      alert('malicious', malicious, { changes: [{ field: 'is_malicious', to: true }] }),
      given,
    ),
    'alert-all-clear': await alertMail(
      alert(
        'cleared',
        { ...malicious, is_malicious: false, state: 'rejected', score: null, is_score_provisional: false },
        { changes: [{ field: 'is_malicious', to: false }] },
      ),
      given,
    ),
    'alert-due': await alertMail(alert('due', sampleVuln, { changes: [], due: '2026-12-11' }), given),
    'alert-overdue': await alertMail(alert('overdue', sampleVuln, { changes: [], due: '2026-12-11' }), given),
    'alert-cra-started': await alertMail(
      alert('cra', sampleVuln, { changes: [], cra: { event: 'started', at: '2026-11-22T02:10:00Z' } }),
      given,
    ),
    'alert-cra-missed': await alertMail(
      alert('cra', sampleVuln, {
        changes: [],
        cra: { event: 'missed', stage: 'notification', at: '2026-11-22T02:10:00Z' },
      }),
      given,
    ),
    'alert-digest': await digestMail(
      [
        { delivery_id: 1, first_id: 1, target: to, alert: alert('kev', sampleVuln) },
        { delivery_id: 2, first_id: 1, target: to, alert: alert('new', unscored) },
        { delivery_id: 3, first_id: 1, target: to, alert: alert('malicious', malicious) },
      ],
      given,
    ),
    'alert-escalated': await alertMail({ ...alert('kev', sampleVuln), came }, given),
    'alert-long': await alertMail(alert('new', long), given),
    details: { subject: '[Earshot] PH-12 / CVE-2024-3094: vulnerability details · Acme Corporation', ...details },
    ...(await sampleNotices(env)),
    report: await made(report),
    'report-daily': await made({
      ...report,
      kind: 'daily',
      org_name: 'Société générale de développement et de recherche appliquée du Nord',
      rows: rows.slice(0, 1),
      more: 0,
      new: 0,
      updated: 1,
      held: 0,
    }),
    'report-monthly': await made({
      ...report,
      kind: 'monthly',
      rows: [aRow(6, { products: [], score: null, cvss: null, epss: null })],
      more: 0,
      new: 1,
      updated: 0,
    }),
    'report-quiet': await made({ ...report, new: 0, updated: 0, fixed: 0, held: 0, rows: [], more: 0 }),
    newsletter: await issue(to, token),
    'newsletter-of-one': await shortIssue(to, token),
    'newsletter-confirm': await confirmSubscriptionNotice(env, { to, token, days: 7 }),
    'newsletter-already': await alreadySubscribedNotice(env, { to, token, days: 7 }),
    invitation: await invitationNotice(env, { to, org_name: 'Acme Corporation', by: 'boss', token, days: 3 }),
    'alert-address': await alertAddressNotice(env, { to, org_name: 'Acme Corporation', by: 'boss', token }),
    trial: await trialNotice(env, { to, token, hours: 24 }),
    'account-exists': await accountExistsNotice(env, { to, username: 'ada' }),
    reset: await resetNotice(env, { to, org_name: 'Acme Corporation', by: 'boss', username: 'kim', token }),
    'password-changed': await securityNotice(env, { ...passwordChange, to, username: 'kim' }),
    'lost-password': await lostPasswordNotice(env, { to, username: 'kim', token }),
    'new-device': await newDeviceNotice(env, {
      email: to,
      username: 'kim',
      device: {
        user_agent:
          'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1',
        ip: '2001:db8:85a3:8d3:1319:8a2e:370:7348',
      },
      at: '2026-11-22T02:10:00Z',
    }),
    'address-confirm': await confirmAddressNotice(env, { to, username: 'kim', token }),
    'address-asked': await addressAskedNotice(env, { to, username: 'kim', email: 'kim@new.example' }),
    'address-changed': await addressChangedNotice(env, { to, username: 'kim', email: 'kim@new.example' }),
  }
}
