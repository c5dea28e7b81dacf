import { withAsciiDomain } from '../domain/people/mailbox'
import { withoutTurns } from '../domain/people/name'
import type { Env } from '../env'
import { oneLineSubject, parseAddress, type Message } from './message'
import { smtpTransport } from './smtp'

export type Transport = { send(message: Message): Promise<void>; close(): Promise<void> }

/** Each mail shows its texts in the direction in which they are written. */
export function openTransport(env: Env): Transport {
  const { send, close } = env.SMTP_URL ? smtpTransport(env.SMTP_URL) : bindingTransport(env)
  return {
    send: ({ to, subject, html, text, ...message }) => {
      const told = { subject: withoutTurns(subject), html: withoutTurns(html), text: withoutTurns(text) }
      return send({ ...message, ...told, to: withAsciiDomain(to) })
    },
    close,
  }
}

// The binding makes its own Message-ID, so ours goes along under another name.
function bindingTransport(env: Env): Transport {
  return {
    async send({ to, from, subject, html, text, message_id, headers }) {
      const sender = parseAddress(from)
      await env.MAIL.send({
        to,
        from: sender.name ? sender : sender.email,
        subject: oneLineSubject(subject),
        html,
        text,
        headers: { ...headers, 'X-Earshot-Id': message_id },
      })
    },
    close: async () => undefined,
  }
}
