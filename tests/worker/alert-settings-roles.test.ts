import { expect, test } from 'vitest'
import { listChannels } from '../../worker/alerts/channels/contract'
import { listAlerts } from '../../worker/alerts/contract'
import { getOrgSettings, updateOrgSettings } from '../../worker/alerts/settings/contract'
import { aScene, point } from './support/alerting'
import { createView } from '../../worker/views/contract'
import { setSnooze } from '../../worker/decisions/decide-contract'
import { aMember } from './support/member'
import { anOrg } from './support/org'
import { aWorld } from './support/world'

test('addresses of messages are seen by those who may change them: others see what is told, and their own address', async () => {
  const org = await anOrg({ world: aWorld({ LOCAL_CHANNELS: '1' }), is_org_admin: true })
  const member = await aMember(org.world, org.org_id)
  const keys = { alerts_thehive_apikey: 'hive-key-0123456789', alerts_misp_apikey: 'misp-key-0123456789' }
  await org.call(updateOrgSettings, {
    body: {
      org_id: org.org_id,
      alerts_emails: ['soc@acme.example', member.email],
      alerts_slack_url: 'https://hooks.example/services/abcdefgh',
      alerts_thehive_url: 'https://hive.example/',
      alerts_misp_url: 'https://misp.example/',
      enable_slack_new_vuln: false,
      ...keys,
    },
  })
  const whole = await org.call(getOrgSettings, { params: { org_id: org.org_id } })
  expect(JSON.stringify(whole).match(/\*\*\*\*/g)).toHaveLength(10)
  const seen = await member.call(getOrgSettings, { params: { org_id: org.org_id } })
  expect(Object.keys(seen)).toEqual(Object.keys(whole))
  expect(JSON.stringify(seen)).not.toMatch(/\*\*\*\*|soc@/)
  expect(seen).toMatchObject({
    alerts_emails: [member.email],
    alerts_slack_url: '',
    alerts_slack: { url: '', new_vuln: false },
    enable_slack_new_vuln: false,
    show_slack_settings: whole.show_slack_settings,
  })
  expect((await member.answer(listChannels)).status).toBe(403)

  await org.world.sql`UPDATE members SET manage_alert_email = 1 WHERE user_id = ${member.user_id}`
  expect(await member.call(getOrgSettings, { params: { org_id: org.org_id } })).toEqual(whole)
})

test('receivers and their answers are seen by those who may change them: others see what was told, and their own address', async () => {
  const scene = await aScene()
  const org = await scene.watching({ emails: ['soc@acme.example'] })
  const member = await aMember(scene.world, org.org_id)
  const alerts_emails = ['soc@acme.example', member.email]
  await org.call(updateOrgSettings, { body: { org_id: org.org_id, alerts_emails } })
  await point(scene, org, 'slack')
  await scene.modify(['CVE-2026-20001'])
  scene.origins.restore()
  await scene.world.sql`UPDATE deliveries SET last_error = '10.0.0.7 said no', answer = '500: 10.0.0.7'`
  const receivers = async (by: Pick<typeof member, 'call'>) =>
    (await by.call(listAlerts)).results.flatMap(({ deliveries }) =>
      deliveries.map(({ channel, status, target, last_error, answer }) => [
        channel,
        status,
        target,
        last_error,
        answer,
      ]),
    )
  const whole = await receivers(org)
  expect(whole).toHaveLength(3)
  expect(whole.flat().filter((text) => text === 'soc@acme.example' || text === '10.0.0.7 said no')).toHaveLength(4)
  const own = (target: unknown) => (target === member.email ? member.email : '')
  const seen = whole.map(([channel, status, target]) => [channel, status, own(target), null, null])
  expect(await receivers(member)).toEqual(seen)

  await scene.world.sql`UPDATE members SET manage_alert_email = 1 WHERE user_id = ${member.user_id}`
  expect(await receivers(member)).toEqual(whole)
})

test('of a new model of EPSS each is told once what of theirs goes by a probability, and nobody else is', async () => {
  const scene = await aScene()
  const { world } = scene
  const org = await scene.watching()
  scene.origins.restore()
  await world.sql`UPDATE members SET is_admin = 1 WHERE user_id = ${org.user_id}`
  const [member, other] = [await aMember(world, org.org_id), await aMember(world, org.org_id)]
  await point(scene, org, 'slack', { on_epss: true, epss_value: '50%' })
  await point(scene, org, 'teams', { on_epss: true, epss_value: '99th' })
  await member.call(createView, { body: { name: 'Hot', query: 'q=epss>50%25 OR kev', is_shared: true } })
  await member.call(createView, { body: { name: 'Rank', query: 'epss_percentile__gte=0.9' } })
  await member.call(setSnooze, { params: { id: 1 }, body: { epss_above: 0.9 } })
  await other.call(createView, { body: { name: 'Rank', query: 'q=percentile>95%25' } })
  await world.sql`UPDATE saved_views SET updated_at = '2026-01-01T00:00:00Z'`
  await world.sql`UPDATE decisions SET decided_at = '2026-01-01T00:00:00Z'`
  const since = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  const tell = async (...models: object[]) => {
    await world.sql`UPDATE feeds SET cursor = json_object('models', json(${JSON.stringify(models)}))
      WHERE id = 'epss'`
    world.mails.length = 0
    await world.tick(new Date(), '17 3 * * *')
    await world.drain()
    return world.mails
      .filter(({ subject }) => subject.includes('EPSS has a new model'))
      .toSorted((a, b) => a.to.localeCompare(b.to))
  }
  expect(await tell({ version: 'one', since })).toEqual([])
  const [first, second, ...more] = await tell({ version: 'one', since: '2026-01-01' }, { version: 'two', since })
  expect(more).toEqual([])
  const told = new Map([first, second].map((mail) => [mail?.to, mail?.text]))
  expect(told.get(org.email)).toMatch(/another model \(two\)[^]*receivers Slack\./)
  expect(told.get(member.email)).toMatch(/saved views “Hot”\.[^]*above a probability: 1\./)
  expect(await tell({ version: 'one', since: '2026-01-01' }, { version: 'two', since })).toEqual([])
}, 30_000)
