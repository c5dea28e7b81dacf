import type { ChannelName } from '../../domain/alert-rules'
import type { Channel } from './channel'
import { email } from './email'
import { misp } from './misp'
import { slack } from './slack'
import { teams } from './teams'
import { thehive } from './thehive'
import { webhook } from './webhook'

/** What a message is, its channel alone knows: it goes from `render` to `send` as it is. */
const opaque = <Message>({ render, send, ...channel }: Channel<Message>) => ({
  ...channel,
  deliver: async (...[tellings, line]: Parameters<Channel<Message>['render']>) =>
    send(await render(tellings, line), line),
})

export const channels = {
  email: opaque(email),
  slack: opaque(slack),
  teams: opaque(teams),
  thehive: opaque(thehive),
  misp: opaque(misp),
  webhook: opaque(webhook),
} satisfies Record<ChannelName, ReturnType<typeof opaque>>
