import { testNotice } from '../../../worker/alerts/channels/email'
import { channelOffNotice } from '../../../worker/alerts/channels/health'
import { writeAddressMails } from '../../../worker/alerts/plan/address-mails'
import { epssModelNotice } from '../../../worker/alerts/plan/epss-model'
import { describeSummary } from '../../../worker/alerts/plan/first-documents'
import { describeEnds } from '../../../worker/alerts/plan/support-ends'
import { securityNotice } from '../../../worker/auth/security-notice'
import type { Db } from '../../../worker/db/open'
import { trialNews } from '../../../worker/domain/alerts/trial-news'
import type { Env } from '../../../worker/env'
import type { RunningRelease } from '../../../worker/exposure/running-releases'
import { alarmNotice } from '../../../worker/objectives/measure'
import { enabledNotice } from '../../../worker/orgs/manage/enabled-notice'
import { removalNotice, trialNewsNotice } from '../../../worker/orgs/leaving/mails'
import { unreachedNotice } from '../../../worker/alerts/channels/unreached'
import { unheardNotice } from '../../../worker/orgs/unheard'
import { describeEnded, describeMissing, domainNotice } from '../../../worker/orgs/sso/prove-again'

const to = 'kim@acme.example'
const org_name = 'Acme Corporation'
const about = { to, org_name, day: '2026-12-24' }
/** Nobody is an outsider. */
const noRows = { all: async () => [] } as unknown as Db

const support = (label: string, fixes_until: string): RunningRelease => ({
  lifecycle_id: label,
  support: {
    product: { label, link: 'https://endoflife.date/openssl' },
    release: { name: '3.0', label: '3.0', state: 'ended', until: null, fixes_until, latest: null },
    next: { name: '3.5', label: '3.5', state: 'supported', until: null, fixes_until: '2030-04-08', latest: null },
  },
  places: [
    'openssl:openssl 3.0.6',
    'shop · openssl 3.0.2',
    'a-component-with-a-very-long-name-that-nobody-breaks 3.0.13',
  ],
})

const found = (at: number, more: object = {}) => ({
  id: at,
  name: `CVE-2026-${20_000 + at}`,
  score: 95 - at * 6,
  is_provisional: 0,
  title: null,
  is_malicious: 0,
  is_kev: 0,
  is_exploitable: 0,
  is_affected: at < 4 ? 1 : 0,
  ...more,
})

/** Mails of the clock and of administration. */
export async function sampleNotices(env: Env) {
  const tell = async (news: Parameters<typeof writeAddressMails>[3]) => {
    const [mail] = await writeAddressMails(env, noRows, { org_id: 3, org_name, emails: [to] }, news)
    if (!mail) throw new Error('Nobody is told')
    return mail
  }
  const due = { org_name, name: 'shop', components_count: 1_204, not_compared: 12 }
  const all = [
    found(1, { name: 'MAL-2025-46969', title: 'Malicious code in chalk (npm)', score: 100, is_malicious: 1 }),
    found(2, { is_kev: 1 }),
    found(3, { score: null }),
    found(4),
  ]
  const claim = { domain: 'acme.example', proof: '4f6d8a0c2e9b4d7f8a1c3e5b7d9f0a2c' }
  const late = ['feeds', 'alerts', 'the backup', 'reports']
  return {
    'first-document': await tell(describeSummary(env, due, all)),
    'first-document-of-one': await tell(
      describeSummary(env, { ...due, components_count: 1, not_compared: 1 }, all.slice(1, 2)),
    ),
    'support-ends': await tell(
      describeEnds(env, org_name, [support('OpenSSL', '2026-09-07'), support('Ubuntu', '2026-12-31')]),
    ),
    'epss-model': await epssModelNotice(
      env,
      {
        email: to,
        org_name,
        routes: '["email","slack-2"]',
        views: '[["Likely exploited","q=epss%3E0.5"]]',
        snoozes: 2,
      },
      { name: 'v2027.01.15', since: '2027-01-15' },
    ).then((mail) => mail ?? Promise.reject(new Error('No rule'))),
    'sso-missing': await domainNotice(env, { to, org_name }, describeMissing(claim, '2026-12-11')),
    'sso-ended': await domainNotice(env, { to, org_name }, describeEnded(claim)),
    alarm: await alarmNotice(env, late),
    'alarm-over': await alarmNotice(env, []),
    'org-enabled': await enabledNotice(env, {
      to,
      org_name,
      from: '2026-11-02T08:00:00Z',
      until: '2026-11-24T09:30:00Z',
    }),
    'org-removal': await removalNotice(env, { ...about, by: 'boss' }),
    ...Object.fromEntries(
      await Promise.all(
        trialNews.map(async (news) => [`trial-${news}`, await trialNewsNotice(env, { ...about, news })] as const),
      ),
    ),
    'channel-off': await channelOffNotice(env, {
      to,
      org_name: 'Acme Corporation',
      channel: 'slack',
      message: 'The receiver answered 503: upstream connect error or disconnect/reset before headers',
      isGone: false,
    }),
    'alert-address-gone': await unheardNotice(env, {
      to,
      org_name: 'Acme Corporation',
      who: 'soc@acme.example',
      left: [],
    }),
    'alert-address-unreached': await unreachedNotice(env, {
      to,
      org_name: 'Acme Corporation',
      target: 'soc@acme.example',
      message: '550 5.1.1 No such user here',
      what: 'alerts',
    }),
    'alert-test': await testNotice(env, { to, org_name: 'Acme Corporation' }),
    'second-factor-off': await securityNotice(env, {
      to,
      username: 'kim',
      title: 'Your second factor was switched off',
      text: 'This account signs in with the password alone now.',
    }),
    'passkey-added': await securityNotice(env, {
      to,
      username: 'kim',
      title: 'A passkey was added',
      text: 'This account can be signed in to with the passkey "Laptop of Kim" now.',
    }),
  }
}
