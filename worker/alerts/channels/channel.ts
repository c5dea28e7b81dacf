import type { Db } from '../../db/open'
import type { Env } from '../../env'
import type { Transport } from '../../mail/transport'
import type { AlertFacts } from '../facts'
import type { ReceiverAnswer } from './outgoing'
import type { Secrets } from './secrets'

/** One alert for one receiver; its id is the same however often it is sent. */
export type Telling = { delivery_id: number; target: string; alert: AlertFacts }

export type Line = { env: Env; db: Db; org_id: number; secrets: Secrets; transport: Transport; now: Date }

/**
 * A way to tell: `render` makes the message, `send` hands it over and throws when it is not taken, `test` sends one that says
 * that it is a test. A new way is a file with one of these, a line in `registry`, and a form.
 */
export type Channel<Message> = {
  /** How many alerts one message tells of at most. */
  limit: number
  render: (tellings: Telling[], line: Line) => Message | Promise<Message>
  send: (message: Message, line: Line) => Promise<ReceiverAnswer>
  test: (target: string, line: Line) => Promise<ReceiverAnswer>
}
