import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { SettingsPage } from '../../web/settings/settings-page'
import { alertManager, signInAs } from './support/account'
import { refusal, settingsServer } from './support/account-server'
import { aChannel, alertingAnswers, someAlertSettings } from './support/alerting'
import { show } from './support/screen'

type Answers = Parameters<typeof settingsServer>[0]

function showAlerting(answers: Answers = {}) {
  signInAs(alertManager)
  const server = settingsServer({ ...alertingAnswers(), ...answers })
  return { ...server, ...show(<SettingsPage />, '/settings?tab=alerting') }
}
const card = (name: string) => within(screen.getByRole('region', { name }))
const mails = async () => within(await screen.findByRole('region', { name: 'Alerts by e-mail' }))
const save = async () => fireEvent.click((await mails()).getByRole('button', { name: 'Save' }))
const addresses = () => screen.getByRole('combobox', { name: 'Contact e-mails' })
const add = (email: string) => fireEvent.paste(addresses(), { clipboardData: { getData: () => email } })
const updates = {
  'POST /users/org/update': ({ body }: { body?: unknown }) => ({ body: someAlertSettings(Object(body)) }),
}

test('contact addresses are checked and saved with the switches', async () => {
  const { to } = showAlerting(updates)
  await mails()
  add('nobody')
  await save()
  expect(await screen.findByText('E-mail must be valid: nobody')).toBeTruthy()
  expect(to('/users/org/update')).toEqual([])

  fireEvent.keyDown(addresses(), { key: 'Backspace' })
  for (const name of ['b', 'c', 'd']) add(`${name}@example.org`)
  expect(await screen.findByText('At most 3 addresses')).toBeTruthy()
  fireEvent.keyDown(addresses(), { key: 'Backspace' })
  fireEvent.click((await mails()).getByRole('switch', { name: /A changed vulnerability/ }))
  await save()

  expect(await screen.findByText('Organization settings updated !')).toBeTruthy()
  expect(to('/users/org/update')[0]?.body).toEqual({
    org_id: 1,
    alerts_emails: ['a@example.org', 'b@example.org', 'c@example.org'],
    enable_email_alert_update_vuln: true,
  })
})

test('an address that a colleague entered meanwhile stays, and one that they removed does not come back', async () => {
  let stored = ['a@example.org', 'gone@example.org']
  const settings = () => ({ body: someAlertSettings({ alerts_emails: stored }) })
  const { to } = showAlerting({ ...updates, 'GET /users/org/1/settings': settings })
  await mails()
  stored = ['a@example.org', 'theirs@example.org']
  add('ours@example.org')
  await save()
  expect(await screen.findByText('Organization settings updated !')).toBeTruthy()
  const alerts_emails = ['a@example.org', 'theirs@example.org', 'ours@example.org']
  expect(to('/users/org/update')[0]?.body).toEqual({ org_id: 1, alerts_emails })
})

test('of reports what was changed is saved, with the time zone of the browser', async () => {
  const { to } = showAlerting(updates)
  fireEvent.click(await screen.findByRole('switch', { name: /A weekly report/ }))
  fireEvent.click(screen.getByRole('switch', { name: /Also when there is nothing to report/ }))
  fireEvent.click(card('Reports by e-mail').getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('Organization settings updated !')).toBeTruthy()
  expect(to('/users/org/update')[0]?.body).toEqual({
    org_id: 1,
    enable_weekly_email_report: true,
    enable_quiet_email_report: true,
    reports_time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  })
})

test.each([
  ['Score from', 'Score reached', '101', 'Score has to be between 0 and 100. Default is 80'],
  ['CVSS v2 from', 'CVSS v2 reached', '11', 'CVSS score has to be between 0 and 10. Default is 8.0'],
  ['CVSS v3 from', 'CVSS v3 reached', '10.1', 'CVSS score has to be between 0 and 10. Default is 8.0'],
])('the threshold "%s" is checked in the words of the specification', async (label, rule, value, message) => {
  const { to } = showAlerting(updates)
  fireEvent.click((await mails()).getByRole('switch', { name: new RegExp(rule) }))
  fireEvent.change((await mails()).getByRole('textbox', { name: label }), { target: { value } })
  await save()
  expect(await screen.findByText(message)).toBeTruthy()
  expect(to('/users/org/update')).toEqual([])
})

test('under each rule stands what it sends, with the threshold that is set', async () => {
  showAlerting()
  fireEvent.click((await mails()).getByRole('switch', { name: /Score reached/ }))
  fireEvent.change((await mails()).getByRole('textbox', { name: 'Score from' }), { target: { value: '91' } })
  expect(await screen.findByText(/the score of a monitored vulnerability reaches 91 from below/)).toBeTruthy()
  expect(
    (await mails()).getByText(
      'When CISA lists a monitored vulnerability as exploited, or another catalogue is the first to call it so.',
    ),
  ).toBeTruthy()
})

test('an address that nobody confirmed yet is named', async () => {
  showAlerting(alertingAnswers(someAlertSettings({ alerts_emails_unconfirmed: ['a@example.org'] })))
  expect((await screen.findByRole('note')).textContent).toContain('Not confirmed yet: a@example.org')
})

test('an address that is stored already does not keep one from changing a switch', async () => {
  const { to } = showAlerting({
    ...alertingAnswers(someAlertSettings({ alerts_emails: ['admin@localhost'] })),
    ...updates,
  })
  fireEvent.click((await mails()).getByRole('switch', { name: /A new vulnerability/ }))
  await save()
  expect(await screen.findByText('Organization settings updated !')).toBeTruthy()
  const [saved] = to('/users/org/update')
  expect(saved?.body).toMatchObject({ enable_email_alert_new_vuln: false })
  expect(saved?.body).not.toHaveProperty('alerts_emails')
})

test('a test mail says that it was sent, or why not, in the words of the specification', async () => {
  let answer = { status: 'success', reason: '' }
  showAlerting({ 'POST /api/alerts/email/test': () => ({ body: answer }) })
  const press = async () => fireEvent.click((await mails()).getByRole('button', { name: 'Send a test e-mail' }))
  await press()
  expect(await screen.findByText('Test sent. Check your mailbox !')).toBeTruthy()
  answer = { status: 'error', reason: '550 No such user' }
  await press()
  expect(await screen.findByText('Unable to send test email: 550 No such user')).toBeTruthy()
})

test('a channel is pointed, tested and removed', async () => {
  const { to } = showAlerting({
    'PUT /api/alerts/routes/slack/': () => ({ body: aChannel('slack', { is_configured: true, url: '****efgh' }) }),
  })
  await screen.findByRole('region', { name: 'Slack' })
  fireEvent.change(card('Slack').getByLabelText('Incoming webhook'), {
    target: { value: 'https://hooks.example/efgh' },
  })
  fireEvent.click(card('Slack').getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('Organization settings updated !')).toBeTruthy()
  expect(to('/api/alerts/routes/slack/')[0]?.body).toEqual({ url: 'https://hooks.example/efgh' })
})

test('a failing channel shows since when and why, and a test puts it right', async () => {
  const failing = aChannel('misp', {
    is_configured: true,
    url: '****mple',
    failing_since: '2026-11-20T08:00:00Z',
    last_error: 'misp.example answered 500',
    disabled_at: '2026-11-23T11:00:00Z',
  })
  const { to } = showAlerting({
    ...alertingAnswers(someAlertSettings(), [failing]),
    'POST /api/alerts/routes/misp/test': () => ({ body: { status: 'error', reason: 'misp.example answered 403' } }),
  })
  const misp = within(await screen.findByRole('region', { name: 'MISP' }))
  expect(misp.getByText('Switched off')).toBeTruthy()
  expect(misp.getByRole('status').textContent).toContain('misp.example answered 500')
  fireEvent.click(misp.getByRole('button', { name: 'Send a test to MISP' }))
  expect(await screen.findByText('Unable to send the test: misp.example answered 403')).toBeTruthy()
  await waitFor(() => expect(to('/api/alerts/routes/misp/test')).toHaveLength(1))
})

test('a further receiver is added with a name, after its message was looked at', async () => {
  const { to } = showAlerting({
    'POST /api/alerts/routes/preview': () => ({
      body: { alert_id: 1, vuln: { id: 2, name: 'a' }, is_invented: false, subject: null, text: '{"title":"a"}' },
    }),
    'POST /api/alerts/routes/': () => ({ status: 201, body: aChannel('json', { name: 'Desk' }) }),
  })
  fireEvent.click(await screen.findByRole('button', { name: 'Add a receiver' }))
  const form = within(await screen.findByRole('region', { name: 'Add a receiver' }))
  fireEvent.change(form.getByLabelText('Kind'), { target: { value: 'json' } })
  fireEvent.change(form.getByLabelText('Name'), { target: { value: 'Desk' } })
  fireEvent.change(form.getByLabelText('Address'), { target: { value: 'https://desk.example.com/in' } })
  fireEvent.click(form.getByRole('button', { name: 'Show what would be sent' }))
  expect(await form.findByDisplayValue('{"title":"a"}')).toBeTruthy()
  fireEvent.click(form.getByRole('button', { name: 'Add' }))
  expect(await screen.findByText('Receiver added.')).toBeTruthy()
  expect(to('/api/alerts/routes/').filter(({ body }) => body)).toMatchObject([
    { body: { kind: 'json', name: 'Desk', url: 'https://desk.example.com/in' } },
  ])
})

test('channels that the organization does not see are not there', async () => {
  showAlerting(
    alertingAnswers(
      someAlertSettings({ show_slack_settings: false, show_thehive_settings: false, show_misp_settings: false }),
    ),
  )
  await screen.findByRole('region', { name: 'Webhook' })
  for (const name of ['Slack', 'TheHive', 'MISP']) expect(screen.queryByRole('region', { name })).toBeNull()
})

test('a template is edited where its receiver stands, and a refusal is told at its field', async () => {
  const issues = [{ path: ['template'], message: 'There is no field titel' }]
  const { to } = showAlerting({
    'GET /api/alerts/routes/': () => ({ body: [aChannel('json', { name: 'Desk', template: '{}' })] }),
    'PUT /api/alerts/routes/json/': () => ({ status: 400, body: { code: 'invalid', message: 'no', issues } }),
  })
  const desk = within(await screen.findByRole('region', { name: 'Desk (JSON webhook)' }))
  fireEvent.change(desk.getByLabelText('Template'), { target: { value: '{"a":"{{titel}}"}' } })
  fireEvent.click(desk.getByRole('button', { name: 'Save' }))
  expect((await desk.findAllByText('There is no field titel')).length).toBeGreaterThan(0)
  expect(to('/api/alerts/routes/json/')).toMatchObject([{ body: { template: '{"a":"{{titel}}"}' } }])
})

test('the addresses of a feed are shown once, to be copied', async () => {
  showAlerting({
    'POST /api/alerts/feeds/': () => ({
      status: 201,
      body: {
        view_id: 0,
        name: 'All alerts',
        created_at: '2026-11-20T08:00:00Z',
        atom_url: 'https://earshot.test/atom',
        json_url: 'https://earshot.test/json',
      },
    }),
  })
  fireEvent.click(await screen.findByRole('button', { name: 'Make an address' }))
  expect(await screen.findByText('https://earshot.test/atom')).toBeTruthy()
})

test.each([
  ['Alerts by e-mail', /^A new vulnerability/, 'enable_email_alert_new_vuln'],
  ['Alerts by e-mail', /^A changed vulnerability/, 'enable_email_alert_update_vuln'],
  ['Alerts by e-mail', /^A first exploit/, 'enable_instant_email_report_exploitable'],
  ['Alerts by e-mail', /^Known to be exploited/, 'enable_instant_email_report_kev'],
  ['Alerts by e-mail', /^A malicious package/, 'enable_instant_email_report_malicious'],
  ['Alerts by e-mail', /^A fix/, 'enable_instant_email_report_fix'],
  ['Alerts by e-mail', /^Score reached/, 'enable_instant_email_report_score'],
  ['Alerts by e-mail', /^CVSS v2 reached/, 'enable_instant_email_report_cvss'],
  ['Alerts by e-mail', /^CVSS v3 reached/, 'enable_instant_email_report_cvss3'],
  ['Reports by e-mail', /^A daily report/, 'enable_daily_email_report'],
  ['Reports by e-mail', /^A weekly report/, 'enable_weekly_email_report'],
  ['Reports by e-mail', /^A monthly report/, 'enable_monthly_email_report'],
])('the switch of %s that is called %s changes %s alone', async (region, name, field) => {
  const { to } = showAlerting(updates)
  const part = within(await screen.findByRole('region', { name: region }))
  const before = (Object(someAlertSettings()) as Record<string, unknown>)[field]
  fireEvent.click(part.getByRole('switch', { name }))
  fireEvent.click(part.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('Organization settings updated !')).toBeTruthy()
  const sent = Object(to('/users/org/update')[0]?.body) as Record<string, unknown>
  const changed = Object.keys(sent).filter(
    (one) => one.startsWith('enable_') && sent[one] !== (Object(someAlertSettings()) as Record<string, unknown>)[one],
  )
  expect([changed, sent[field]]).toEqual([[field], !before])
})

test('settings that cannot be saved are told', async () => {
  showAlerting({ 'POST /users/org/update': () => refusal('No') })
  fireEvent.click((await mails()).getByRole('switch', { name: /A fix/ }))
  await save()
  expect(await screen.findByText('Unable to update organization settings :/')).toBeTruthy()
})

test('settings that cannot be read are told', async () => {
  showAlerting({ 'GET /users/org/1/settings': () => refusal('No') })
  expect((await screen.findAllByText('Unable to get org settings profile')).length).toBeGreaterThan(0)
})

test('before rules are saved the screen says what they would have sent, with the list', async () => {
  const { to } = showAlerting({
    'POST /api/alerts/backtest': () => ({
      body: {
        days_30: 1,
        days_90: 14,
        held: 2,
        is_complete: true,
        new_epss_models: [{ name: 'v6', since: '2026-10-20' }],
        alerts: [
          {
            at: '2026-11-20T10:00:00Z',
            rule: 'kev',
            vuln: { id: 7, cveid: 'CVE-2026-20001', summary: 'A flaw.' },
            changes: ['Added to CISA KEV on 2026-11-20'],
          },
        ],
      },
    }),
  })
  fireEvent.click((await mails()).getByRole('switch', { name: /Known to be exploited/ }))
  fireEvent.click((await mails()).getByRole('button', { name: 'What would these rules have sent?' }))
  expect(await (await mails()).findByText(/sent 1 alert, in the last 90 days 14, of which 2 in reports/)).toBeTruthy()
  expect((await mails()).getByText(/EPSS has a new model \(v6\) since 2026-10-20/)).toBeTruthy()
  fireEvent.click((await mails()).getByRole('button', { name: 'Show the newest 1' }))
  expect((await mails()).getByRole('link', { name: 'CVE-2026-20001' }).getAttribute('href')).toBe('/vulns/7')
  expect(to('/api/alerts/backtest')[0]?.body).toMatchObject({ on_new: true, on_kev: true, daily_max: 20, groups: [] })
})

test('limits of mails are saved beside the fields of the specification', async () => {
  const { to } = showAlerting({
    'PUT /api/alerts/routes/email/': ({ body }: { body?: unknown }) => ({ body: aChannel('email', Object(body)) }),
  })
  fireEvent.change((await mails()).getByRole('textbox', { name: 'Most alerts per day' }), { target: { value: '5' } })
  fireEvent.click((await mails()).getByRole('button', { name: 'Save the limits' }))
  expect(await screen.findByText('Organization settings updated !')).toBeTruthy()
  expect(to('/api/alerts/routes/email/')[0]?.body).toEqual({ daily_max: 5 })
})
