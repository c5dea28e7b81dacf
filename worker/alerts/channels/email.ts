import { eq } from 'drizzle-orm'
import type { Env } from '../../env'
import { notice } from '../../mail/notice'
import type { Message } from '../../mail/message'
import { orgs } from '../../schema/orgs'
import { findWaysOut } from '../leave'
import { alertMail, digestMail } from './mail'
import type { Channel } from './channel'
import { testText } from './words'

export const email: Channel<Message> = {
  limit: 1,
  render: async (tellings, { env, db }) => {
    const [{ alert, target, first_id }] = tellings
    const findWay = await findWaysOut(env, db, alert.org_id, [target])
    const way = await findWay(target)
    const given = { to: target, from: env.MAIL_FROM, app_url: env.APP_URL, delivery_id: first_id, way }
    return tellings.length > 1 ? digestMail(tellings, given) : alertMail(alert, given)
  },
  send: async (message, { transport }) => {
    await transport.send(message)
    return { status: 250, text: 'accepted' }
  },
  test: async (to, line) => {
    const { env, db, org_id, now } = line
    const org = await db.select({ name: orgs.name }).from(orgs).where(eq(orgs.id, org_id)).get()
    const { subject, html, text } = await testNotice(env, { to, org_name: org?.name ?? '' })
    const message_id = `<test-${now.getTime()}@${new URL(env.APP_URL).hostname}>`
    const headers = { 'Auto-Submitted': 'auto-generated' }
    return email.send({ to, from: env.MAIL_FROM, subject, html, text, message_id, headers }, line)
  },
}

export const testNotice = (env: Env, { to, org_name }: { to: string; org_name: string }) =>
  notice({
    to,
    kind: 'alert_test',
    title: `${org_name}: test of your alerts`,
    paragraphs: [testText],
    action: { label: 'Alert settings', url: `${env.APP_URL}/settings?tab=alerting` },
    footer: `This was sent to ${to} because a test of the alerts of ${org_name} was requested.`,
  })
