import type { Db } from '../../db/open'
import type { Env } from '../../env'
import type { Transport } from '../../mail/transport'
import type { AlertFacts } from './facts'
import type { ReceiverAnswer } from './outgoing'
import type { Secrets } from './secrets'

/** Its id stays the same however often it is sent; `first_id` is that of the delivery with which it leaves, or its own. */
export type Telling = { delivery_id: number; first_id: number; target: string; alert: AlertFacts }

export type Tellings = [Telling, ...Telling[]]

/** Texts of records in it are text. */
export type Remark = { title: string; lines: string[]; link: { label: string; url: string } }

/** News of a vulnerability that a tool holds open. */
export type FollowUp = { action: 'acknowledge' | 'resolve'; org_id: number; vuln_id: number }

export type Line = {
  env: Env
  db: Db
  org_id: number
  secrets: Secrets
  template: string
  transport: Transport
  now: Date
}

/**
 * `send` throws when the message is not taken; `test` says that it is a test. A new channel is a file with one of these, a line
 * in `registry`, and a form.
 */
export type Channel<Message> = {
  /** For chats: tells at once of news that are no alert. */
  say?: (said: Remark, line: Line) => Promise<ReceiverAnswer>
  /** Tells a tool when something that it holds open was acknowledged, and when it is over. */
  follow?: (followUp: FollowUp, line: Line) => Promise<ReceiverAnswer>
  /** How many alerts one message tells of at most. */
  limit: number
  /** Most bytes that its receiver takes; several alerts that are more leave as two messages. */
  maxBytes?: number
  render: (tellings: Tellings, line: Line) => Message | Promise<Message>
  send: (message: Message, line: Line) => Promise<ReceiverAnswer>
  test: (target: string, line: Line) => Promise<ReceiverAnswer>
}

/** Of Standard Webhooks 1.0: the id stays when it is sent again. */
export type IdentifiedBody = { id: string; body: string }
export const testId = ({ org_id, now }: Line) => `msg_test_${org_id}_${now.getTime()}`
