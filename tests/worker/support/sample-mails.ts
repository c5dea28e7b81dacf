import { describeAlert } from '../../../worker/alerts/facts'
import { alertMail } from '../../../worker/alerts/mail'
import { alreadySubscribedNotice, confirmSubscriptionNotice, issueMail } from '../../../worker/alerts/newsletter-mails'
import type { ReportFacts, ReportRow } from '../../../worker/alerts/reports/contract'
import { reportMail } from '../../../worker/alerts/reports/mail'
import { channelOffNotice } from '../../../worker/alerts/health'
import { testNotice } from '../../../worker/alerts/channels/email'
import { newDeviceNotice } from '../../../worker/auth/new-device'
import {
  addressAskedNotice,
  addressChangedNotice,
  confirmAddressNotice,
  lostPasswordNotice,
  passwordChanged,
  securityNotice,
} from '../../../worker/auth/security-notice'
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

const app_url = 'https://earshot.example'
const env = { APP_URL: app_url, MAIL_FROM: 'Earshot <alerts@earshot.example>' } as Env
const to = 'kim@acme.example'
const token = 'cU0pZ8w7m1xTq3o8s2R4vN6bY5k9LdEfGhJiKlMnOpQ'

const ofProduct = { via: 'product', purl: null, is_name_only: false }
/** What a vulnerability of the mails needs, with long words where real ones have them. */
const vuln = {
  id: 12,
  cveid: 'CVE-2024-3094',
  title: 'XZ Utils backdoor: malicious code in the release tarballs',
  state: 'published',
  aliases: ['GHSA-rxwq-x6h5-x525'],
  cwe_name: 'Embedded Malicious Code',
  is_in_the_wild: true,
  references: [{ url: 'https://access.redhat.com/security/cve/CVE-2024-3094', tags: ['Vendor Advisory'] }],
  summary:
    'Malicious code was discovered in the upstream tarballs of xz, starting with version 5.6.0. Through a series of complex obfuscations, the liblzma build process extracts a prebuilt object file from a disguised test file existing in the source code, which is then used to modify specific functions in the liblzma code.',
  score: 91,
  is_score_provisional: false,
  cvss: null,
  cvss_vector: null,
  cvss3: 10,
  cvss3_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H',
  cvss4: null,
  cvss4_vector: null,
  epss: 0.8572,
  kev: {
    added: '2026-11-20',
    due: '2026-12-11',
    ransomware: true,
    name: null,
    vendor: null,
    product: null,
    action: null,
    notes: null,
  },
  is_confirmed: true,
  is_exploitable: true,
  exploit_count: 7,
  product_count: 12,
  affected_items: [
    { ...ofProduct, id: 1, vendor: 'tukaani', name: 'xz', versions: ['5.6.0', '5.6.1'], fixed: ['5.6.2'] },
    {
      ...ofProduct,
      id: 2,
      vendor: 'redhat',
      name: 'enterprise_linux_for_real_time_for_nfv_tus',
      versions: ['9'],
      fixed: [],
    },
    {
      ...ofProduct,
      via: 'package',
      id: 3,
      purl: 'pkg:deb/debian/xz-utils',
      versions: ['< 5.6.1+really5.4.5-1'],
      fixed: [],
    },
  ],
  affected: [
    {
      product_id: 1,
      vendor: 'tukaani',
      product: 'xz',
      versions: ['5.6.0', '5.6.1'],
      fixed: ['5.6.2'],
      first_unlisted: [],
      monitored: true,
    },
    {
      product_id: 2,
      vendor: 'redhat',
      product: 'enterprise_linux_for_real_time_for_nfv_tus',
      versions: ['>= 9.0, < 9.4'],
      fixed: [],
      first_unlisted: ['9.4'],
      monitored: false,
    },
  ],
  affected_packages: [
    {
      package_id: 3,
      purl: 'pkg:deb/debian/xz-utils',
      type: 'deb',
      name: 'xz-utils',
      versions: ['< 5.6.1+really5.4.5-1'],
      fixed: ['5.6.1+really5.4.5-1'],
      first_unlisted: [],
      monitored: true,
    },
  ],
  reflinks: [
    'https://access.redhat.com/security/cve/CVE-2024-3094',
    'https://www.openwall.com/lists/oss-security/2024/03/29/4?a-very-long-address-that-no-column-of-a-phone-has-room-for=true',
  ],
  monitored_by: [
    { via: 'product', id: 1, name: 'xz', vendor: 'tukaani' },
    { via: 'package', id: 3, name: 'xz-utils', vendor: 'deb' },
  ],
  runs: [
    {
      via: 'product',
      id: 1,
      name: 'xz',
      vendor: 'tukaani',
      versions: [
        {
          version: '5.6.1',
          verdict: 'confirmed',
          source: 'nvd',
          statement: '5.6.1',
          fixed_in: '5.6.2',
          first_unlisted: null,
        },
      ],
    },
  ],
} as unknown as VulnDetail

const alert = (rule: 'kev' | 'new', of: VulnDetail) =>
  describeAlert(
    {
      id: 5,
      org_id: 3,
      org_name: 'Acme Corporation',
      is_new: rule === 'new',
      at: '2026-11-22T02:10:00Z',
      changes: [
        { field: 'kev_added_at', from: null, to: '2026-11-20' },
        { field: 'epss', from: 0.12, to: 0.8572 },
        { field: 'fixes', added: ['tukaani:xz 5.6.2'], count: 1 },
      ],
      vuln: of,
    },
    rule,
    app_url,
  )

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
  products: id % 2 ? ['tukaani · xz'] : ['redhat · enterprise_linux_for_real_time_for_nfv_tus', 'openbsd · openssh'],
  verdict: id === 1 ? 'confirmed' : null,
  changed: ['CVSS 3: 7.5 → 9.8', 'Fix published (tukaani:xz 5.6.2)'],
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
  new: 2,
  updated: 3,
  fixed: 6,
  held: 1,
  rows,
  more: 12,
}

type Sample = { subject: string; html: string; text: string }

/** Every mail that goes out, as its readers get it. */
export async function sampleMails(): Promise<Record<string, Sample>> {
  const unsubscribe = `Unsubscribe: ${app_url}/public/alerts/leave/3.a2ltQGFjbWUuZXhhbXBsZQ.${token}`
  const given = { to, from: env.MAIL_FROM, app_url, delivery_id: 9, way: { headers: {}, text: unsubscribe } }
  const unscored = {
    ...vuln,
    cveid: null,
    score: null,
    cvss3: null,
    cvss3_vector: null,
    epss: null,
    kev: null,
    title: null,
    references: [],
    is_in_the_wild: false,
    is_exploitable: false,
    exploit_count: 0,
    runs: [],
    monitored_by: vuln.monitored_by.slice(0, 1),
  }
  const made = async (facts: ReportFacts) => {
    const mail = await reportMail(facts, { app_url, report_url: `${app_url}/reports/weekly/2026-11-16?org=3` })
    const footer = `You receive this because ${facts.org_name} lists ${to} for its reports.\n${unsubscribe}`
    return { subject: mail.subject, html: await mail.html(footer), text: mail.text(footer) }
  }
  const details = await vulnMail(vuln, {
    title: 'PH-12 / CVE-2024-3094: vulnerability details',
    footer: `kim of Acme Corporation sent you this from Earshot (${app_url}).`,
    app_url,
  })
  const issue = await issueMail(env, {
    day: '2026-11-16',
    items: rows.map(({ id, name, summary, score }) => ({
      id,
      name,
      summary,
      score,
      reasons: [
        'Known to be exploited since 2026-11-12 (CISA KEV)',
        'EPSS rose from 1.2% to 41.0% in 30 days',
        `Score ${score}/100`,
      ],
    })),
  })
  return {
    alert: await alertMail(alert('kev', vuln), given),
    'alert-unscored': await alertMail(alert('new', unscored), given),
    details: { subject: '[Earshot] PH-12 / CVE-2024-3094: vulnerability details · Acme Corporation', ...details },
    report: await made(report),
    'report-quiet': await made({ ...report, new: 0, updated: 0, fixed: 0, held: 0, rows: [], more: 0 }),
    newsletter: await issue(to, token),
    'newsletter-confirm': await confirmSubscriptionNotice(env, { to, token, days: 7 }),
    'newsletter-already': await alreadySubscribedNotice(env, { to, token, days: 7 }),
    invitation: await invitationNotice(env, { to, org_name: 'Acme Corporation', by: 'boss', token, days: 3 }),
    'alert-address': await alertAddressNotice(env, { to, org_name: 'Acme Corporation', by: 'boss', token }),
    trial: await trialNotice(env, { to, token, hours: 24 }),
    'account-exists': await accountExistsNotice(env, { to, username: 'ada' }),
    reset: await resetNotice(env, { to, org_name: 'Acme Corporation', by: 'boss', username: 'kim', token }),
    'password-changed': await passwordChanged(env, { email: to, username: 'kim' }),
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
    'channel-off': await channelOffNotice(env, {
      to,
      org_name: 'Acme Corporation',
      channel: 'slack',
      message: 'The receiver answered 503: upstream connect error or disconnect/reset before headers',
      isGone: false,
    }),
    'alert-test': await testNotice(env, { to, org_name: 'Acme Corporation' }),
    'second-factor-off': await securityNotice(env, {
      to,
      username: 'kim',
      title: 'Your second factor was switched off',
      text: 'This account signs in with the password alone now.',
    }),
  }
}
