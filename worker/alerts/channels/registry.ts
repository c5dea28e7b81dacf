import * as z from 'zod'
import { utf8 } from '../../auth/keys'
import type { ChannelName } from '../../domain/alerts/alert-rules'
import { openTransport } from '../../mail/transport'
import type { Channel, Line } from './channel'
import { email } from './email'
import type { AlertFacts } from './facts'
import { jira } from './jira'
import { json } from './json'
import { mattermost } from './mattermost'
import { misp } from './misp'
import { NotTaken } from './outgoing'
import { pagerduty } from './pagerduty'
import { slack } from './slack'
import { teams } from './teams'
import { thehive } from './thehive'
import { webhook } from './webhook'

/** Only its channel knows the type of a message: it goes from `render` to `send` as it is. */
const opaque = <Message>({ render, send, ...channel }: Channel<Message>) => ({
  ...channel,
  show: async (...[tellings, line]: Parameters<Channel<Message>['render']>) =>
    showMessage(await render(tellings, line)),
  deliver: async (...[tellings, line]: Parameters<Channel<Message>['render']>) => {
    const message = await render(tellings, line)
    const isTooLarge = channel.maxBytes !== undefined && utf8(JSON.stringify(message)).byteLength > channel.maxBytes
    if (isTooLarge && tellings.length > 1) throw new NotTaken('The message is too large', { status: 413, text: '' })
    return send(message, line)
  },
})

const Body = z.object({ body: z.string() }).transform(({ body }) => JSON.parse(body) as unknown)
const Mail = z.object({ subject: z.string(), text: z.string() })

/** As people read it: the text of a mail, or the JSON that is posted. */
function showMessage(message: unknown) {
  const mail = Mail.safeParse(message).data
  if (mail) return mail
  return { subject: null, text: JSON.stringify(Body.safeParse(message).data ?? message, null, 2) }
}

export const channels = {
  email: opaque(email),
  slack: opaque(slack),
  teams: opaque(teams),
  thehive: opaque(thehive),
  misp: opaque(misp),
  webhook: opaque(webhook),
  mattermost: opaque(mattermost),
  pagerduty: opaque(pagerduty),
  jira: opaque(jira),
  json: opaque(json),
} satisfies Record<ChannelName, ReturnType<typeof opaque>>

type Preview = Pick<Line, 'env' | 'db' | 'org_id' | 'template' | 'now'>

/** As a receiver of the kind would get it; nothing is sent. */
export const showAlert = (kind: ChannelName, alert: AlertFacts, preview: Preview) => {
  const telling = { delivery_id: 0, first_id: 0, target: 'you@example.com', alert }
  return channels[kind].show([telling], { ...preview, secrets: {}, transport: openTransport(preview.env) })
}
