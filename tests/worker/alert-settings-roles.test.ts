import { expect, test } from 'vitest'
import { listChannels } from '../../worker/alerts/channels/contract'
import { listAlerts } from '../../worker/alerts/contract'
import { getOrgSettings, updateOrgSettings } from '../../worker/alerts/settings-contract'
import { aScene, point } from './support/alerting'
import { aMember } from './support/member'
import { anOrg, rows } from './support/org'
import { aWorld } from './support/world'

test('where messages go is seen by those who may change it: others see what is told, and their own address', async () => {
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

  await rows(org.world.env, 'UPDATE members SET manage_alert_email = 1 WHERE user_id = ?1', member.user_id)
  expect(await member.call(getOrgSettings, { params: { org_id: org.org_id } })).toEqual(whole)
})

test('what receivers are and answer is seen by those who may change them: others see what was told, and their own address', async () => {
  const scene = await aScene()
  const org = await scene.watching({ emails: ['soc@acme.example'] })
  const member = await aMember(scene.world, org.org_id)
  const alerts_emails = ['soc@acme.example', member.email]
  await org.call(updateOrgSettings, { body: { org_id: org.org_id, alerts_emails } })
  await point(scene, org, 'slack')
  await scene.modify(['CVE-2026-20001'])
  scene.origins.restore()
  await rows(scene.world.env, "UPDATE deliveries SET last_error = '10.0.0.7 said no', answer = '500: 10.0.0.7'")
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

  await rows(scene.world.env, 'UPDATE members SET manage_alert_email = 1 WHERE user_id = ?1', member.user_id)
  expect(await receivers(member)).toEqual(whole)
})
