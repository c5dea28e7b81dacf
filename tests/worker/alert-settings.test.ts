import { expect, test } from 'vitest'
import { getOrgSettings, updateOrgSettings, type OrgSettings } from '../../worker/alerts/settings/contract'
import { listAudit } from '../../worker/orgs/contract'
import { resealAll } from '../../worker/auth/reseal'
import { openDb } from '../../worker/db/open'
import { openSecrets } from '../../worker/alerts/channels/secrets'
import { asForm } from '../support/client-walk'
import { anOrg, rows } from './support/org'
import { aWorld } from './support/world'
import { newOrgRules } from '../support/alert-settings'

const world = () => aWorld({ LOCAL_CHANNELS: '1' })
const admin = (given = world()) => anOrg({ world: given, is_org_admin: true })
type Org = Awaited<ReturnType<typeof admin>>

const read = ({ call, org_id }: Org) => call(getOrgSettings, { params: { org_id } })
const save = ({ call, org_id }: Org, change: object) => call(updateOrgSettings, { body: { org_id, ...change } })
const refusal = async ({ answer, org_id }: Org, change: object) => {
  const response = await answer(updateOrgSettings, { body: { org_id, ...change } })
  return [response.status, ((await response.json()) as { message: string }).message] as const
}

const chat = { url: '', new_vuln: true, update_vuln: true }
const platform = { ...chat, apikey: '' }
const fresh = {
  alerts_emails_unconfirmed: [],
  alerts_emails_max: 3,
  enable_email_alert_new_vuln: true,
  enable_email_alert_update_vuln: true,
  ...newOrgRules,
  alerts_slack_enabled: true,
  alerts_thehive_enabled: true,
  alerts_misp_enabled: true,
  alerts_slack: chat,
  alerts_slack_url: '',
  enable_slack_new_vuln: true,
  enable_slack_update_vuln: true,
  alerts_thehive: platform,
  alerts_thehive_url: '',
  alerts_thehive_apikey: '',
  enable_thehive_new_vuln: true,
  enable_thehive_update_vuln: true,
  alerts_misp: platform,
  alerts_misp_url: '',
  alerts_misp_apikey: '',
  enable_misp_new_vuln: true,
  enable_misp_update_vuln: true,
} satisfies Omit<OrgSettings, 'org_id' | 'alerts_emails'>

test('a new organization has every setting of the specification, with its defaults', async () => {
  const org = await admin()
  expect(await read(org)).toEqual({ org_id: org.org_id, alerts_emails: [org.email], ...fresh })
})

const flags = Object.entries(fresh).flatMap(([name, value]) =>
  typeof value === 'boolean' && name.startsWith('enable_') ? [name] : [],
)

test.each(flags)('%s is stored as a form and as JSON spell it', async (name) => {
  const org = await admin()
  const before = fresh[name as 'enable_slack_new_vuln']
  expect(await save(org, { [name]: before ? 'False' : 'True' })).toMatchObject({ [name]: !before })
  expect(await read(org)).toMatchObject({ [name]: !before })
  expect(await save(org, { [name]: before })).toMatchObject({ [name]: before })
})

test.each([
  ['score', 'Score has to be between 0 and 100. Default is 80', ['-1', '101', 'x', '']],
  ['cvss', 'CVSS score has to be between 0 and 10. Default is 8.0', ['-0.1', '10.1', 'x', '']],
  ['cvss3', 'CVSS score has to be between 0 and 10. Default is 8.0', ['-0.1', '11', 'x', '']],
])(
  'the threshold of %s is kept within its bounds, with the words of the specification',
  async (rule, message, wrong) => {
    const org = await admin()
    const field = `enable_instant_email_report_${rule}_value`
    for (const value of wrong) expect(await refusal(org, { [field]: value })).toEqual([400, `${field}: ${message}`])
    expect((await refusal(org, { enable_instant_email_report_epss_value: '97th' }))[0]).toBe(400)
    for (const value of ['0', rule === 'score' ? '100' : '10', 7.5])
      expect(await save(org, { [field]: value })).toMatchObject({ [field]: Number(value) })
  },
)

const all = {
  enable_instant_email_report_score: true,
  enable_instant_email_report_score_value: 91,
  enable_weekly_email_report: true,
  alerts_slack_url: 'https://hooks.slack.example/services/T000/B000/abcdefgh',
  enable_slack_update_vuln: false,
  alerts_thehive_url: 'https://hive.example/',
  alerts_thehive_apikey: 'thehive-key-0123456789',
  alerts_misp_url: 'https://misp.example',
  alerts_misp_apikey: 'misp-key-0123456789',
}

test.each(['JSON', 'form'] as const)(
  'reading the settings and saving them, twice, as %s, changes nothing',
  async (style) => {
    const org = await admin()
    const { org_id, world: here, access } = org
    await save(org, all)
    const [stored, before] = [await everyRow(org), await read(org)]
    const { count } = await org.call(listAudit)
    for (let time = 0; time < 2; time++) {
      const settings = await read(org)
      const flat = Object.fromEntries(
        Object.entries(settings).map(([name, value]) => [
          name,
          style === 'form' && value && typeof value === 'object' && !Array.isArray(value)
            ? JSON.stringify(value)
            : value,
        ]),
      )
      const sent = style === 'form' ? asForm(flat) : { type: 'application/json', text: JSON.stringify(flat) }
      const response = await here.request('/users/org/update', {
        method: 'POST',
        headers: { 'content-type': sent.type, authorization: `JWT ${access}` },
        body: sent.text,
      })
      expect([response.status, await response.json()]).toEqual([200, before])
    }
    expect([await everyRow(org), (await org.call(listAudit)).count]).toEqual([stored, count])
    expect(org_id).toBe(before.org_id)
  },
)

test('settings of no organization are refused in words', async () => {
  expect(await refusal(await admin(), { org_id: undefined })).toEqual([400, expect.stringMatching(/A whole number is/)])
})

const everyRow = ({ world: { env }, org_id }: Org) =>
  Promise.all(
    ['alert_settings', 'alert_channels', 'alert_addresses'].map((table) =>
      rows(env, `SELECT * FROM ${table} WHERE org_id = ?1`, org_id),
    ),
  )

test('addresses and keys are encrypted, answered by their last four characters, and stand in no log', async () => {
  const org = await admin()
  const saved = await save(org, all)
  expect(saved).toMatchObject({
    alerts_slack_url: '****efgh',
    alerts_slack: { url: '****efgh', new_vuln: true, update_vuln: false },
    alerts_thehive: { url: '****ple/', apikey: '****6789' },
    alerts_misp_apikey: '****6789',
  })
  const log = await org.call(listAudit)
  const everything = JSON.stringify([saved, await everyRow(org), log])
  for (const secret of ['services/T000', 'hive.example', 'thehive-key', 'misp-key', 'misp.example'])
    expect(everything).not.toContain(secret)
  const { env } = org.world
  const [row] = await rows<{ secrets: string }>(env, "SELECT secrets FROM alert_channels WHERE channel = 'thehive'")
  expect(await openSecrets(env, row?.secrets ?? '')).toEqual({
    url: all.alerts_thehive_url,
    apikey: all.alerts_thehive_apikey,
  })
})

test('a secret changes by a whole new one, goes when it is empty, and stays when its mask comes back', async () => {
  const org = await admin()
  await save(org, all)
  expect(await refusal(org, { alerts_slack_url: '****0000' })).toEqual([
    400,
    'alerts_slack_url: This is the short form of another secret: enter the whole one',
  ])
  const next = 'https://hooks.slack.example/services/T000/B000/ijklmnop'
  expect(await save(org, { alerts_slack: { url: next }, alerts_slack_url: '****efgh' })).toMatchObject({
    alerts_slack_url: '****mnop',
  })
  expect(await save(org, { alerts_slack_url: '' })).toMatchObject({
    alerts_slack_url: '',
    enable_slack_update_vuln: false,
  })
})

test('a key never follows to another host', async () => {
  const org = await admin()
  await save(org, all)
  const elsewhere = { alerts_thehive_url: 'https://elsewhere.example' }
  for (const alerts_thehive_url of ['https://hive.example/other', '']) {
    await save(org, { alerts_thehive_url })
    expect(await refusal(org, elsewhere)).toEqual([400, 'alerts_thehive_apikey: Give the key of the new address'])
  }
  await save(org, { ...elsewhere, alerts_thehive_apikey: 'another-key-0123' })
  expect((await read(org)).alerts_thehive.apikey).toBe('****0123')
})

test.each([
  [{ reports_hour: 24 }, 400, 'reports_hour: An hour of the day is between 0 and 23'],
  [{ alerts_sms: 'x' }, 400, 'Unrecognized key: "alerts_sms"'],
  [{ alerts_slack: { channel: '#x' } }, 400, 'alerts_slack: Unrecognized key: "channel"'],
  [{ alerts_emails_max: 50 }, 400, 'alerts_emails_max: It is 3 and cannot be changed'],
  [{ show_misp_settings: false }, 403, 'Only a global admin changes show_misp_settings'],
  [{ alerts_slack_enabled: 'false' }, 403, 'Only a global admin changes show_slack_settings'],
])('a value that is not stored is refused, not dropped: %j', async (change, status, message) => {
  const org = await admin()
  const stored = await everyRow(org)
  expect(await refusal(org, { enable_daily_email_report: true, ...change })).toEqual([status, message])
  expect(await everyRow(org)).toEqual(stored)
})

test('a global admin shows and hides the channels, by either name', async () => {
  const org = await anOrg({ is_admin: true })
  expect(await save(org, { show_slack_settings: false })).toMatchObject({
    show_slack_settings: false,
    alerts_slack_enabled: false,
  })
  expect(await save(org, { alerts_slack_enabled: true, show_slack_settings: false })).toMatchObject({
    alerts_slack_enabled: true,
  })
})

test('a member reads the settings and changes nothing; one with the flag does', async () => {
  const org = await anOrg()
  expect((await read(org)).alerts_emails_max).toBe(3)
  expect((await refusal(org, { enable_daily_email_report: true }))[0]).toBe(403)
  await org.world.sql`UPDATE members SET manage_alert_email = 1 WHERE user_id = ${org.user_id}`
  expect(await save(org, { enable_daily_email_report: true })).toMatchObject({ enable_daily_email_report: true })
})

/** The outside: a resolver that knows some names. */
function withDns(records: Record<string, string[]>) {
  const real = globalThis.fetch
  globalThis.fetch = async (input) => {
    const url = new URL(new Request(input as RequestInfo).url)
    if (url.host !== 'cloudflare-dns.com') throw new Error(`Nobody asks ${url.host}`)
    const [name = '', type = ''] = [url.searchParams.get('name'), url.searchParams.get('type')]
    const wanted = type === 'A' ? 1 : 28
    const data = (records[name ?? ''] ?? []).filter((one) => one.includes(':') === (wanted === 28))
    return Response.json({ Status: 0, Answer: data.map((one) => ({ type: wanted, data: one })) })
  }
  return () => {
    globalThis.fetch = real
  }
}

test.each([
  ['http://hooks.example/x', 'Must be a web address, with https://'],
  ['ftp://hooks.example/x', 'Must be a web address, with https://'],
  ['nonsense', 'Must be a web address, with https://'],
  ['https://user:pass@hooks.example/', 'Must hold no password'],
  ['https://127.0.0.1/', '127.0.0.1 is not on the public internet'],
  ['https://2130706433/', '127.0.0.1 is not on the public internet'],
  ['https://[::1]/', '::1 is not on the public internet'],
  ['https://[::ffff:10.0.0.1]/', '::ffff:a00:1 is not on the public internet'],
  ['https://169.254.169.254/latest/meta-data', '169.254.169.254 is not on the public internet'],
  ['https://inside.example/', 'inside.example is not on the public internet'],
  ['https://both.example/', 'both.example is not on the public internet'],
  ['https://nowhere.example/', 'nowhere.example has no address in the DNS'],
])('the address %s is refused: %s', async (url, message) => {
  const restore = withDns({ 'inside.example': ['10.1.2.3'], 'both.example': ['93.184.216.34', 'fd00::1'] })
  try {
    const org = await admin(aWorld())
    expect(await refusal(org, { alerts_slack_url: url })).toEqual([400, `alerts_slack_url: ${message}`])
    expect(await org.world.sql`SELECT * FROM alert_channels`).toEqual([])
  } finally {
    restore()
  }
})

test('without a name service an address is refused, and the refusal says what to do', async () => {
  const real = globalThis.fetch
  globalThis.fetch = () => Promise.reject(new Error('unreachable'))
  try {
    const org = await admin(aWorld())
    const [status, message] = await refusal(org, { alerts_slack_url: 'https://hooks.example/x' })
    expect(status).toBe(400)
    expect(message).toContain('hooks.example could not be looked up')
    expect(message).toContain('Try again in a few minutes')
    expect(message).toContain('DNS_RESOLVER')
  } finally {
    globalThis.fetch = real
  }
})

test('an address on the public internet is taken', async () => {
  const restore = withDns({ 'hooks.example': ['93.184.216.34', '2606:2800:220:1::1'] })
  try {
    const org = await admin(aWorld())
    expect(await save(org, { alerts_slack_url: 'https://hooks.example/abcdefgh' })).toMatchObject({
      alerts_slack_url: '****efgh',
    })
  } finally {
    restore()
  }
})

test('the secrets of channels survive a rotation of the secret', async () => {
  const [old, next] = ['only-for-tests-the-old-secret-0123456789', 'only-for-tests-the-next-secret-123456789']
  const org = await admin(aWorld({ APP_SECRET: old, LOCAL_CHANNELS: '1' }))
  await save(org, all)
  const during = aWorld({ APP_SECRET: next, APP_SECRET_PREVIOUS: old })
  await resealAll(during.env, openDb(during.env))
  const after = aWorld({ APP_SECRET: next })
  const stored = await rows<{ secrets: string }>(after.env, 'SELECT secrets FROM alert_channels')
  const opened = await Promise.all(stored.map(({ secrets }) => openSecrets(after.env, secrets)))
  expect(opened.map(({ url }) => url).sort()).toEqual(
    [all.alerts_thehive_url, all.alerts_slack_url, all.alerts_misp_url].sort(),
  )
})
