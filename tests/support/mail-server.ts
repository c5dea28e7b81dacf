import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import PostalMime from 'postal-mime'

export type Taken = {
  to: string[]
  from: string
  subject: string
  message_id: string
  date: string
  html: string
  text: string
}
/** How the server treats the next mails. */
export type MailBehaviour =
  | 'take'
  | 'refuse recipient'
  | 'know no recipient'
  | 'refuse content'
  | 'hang up at content'
  | 'hang up at greeting'

/** Shares of mails, 0 to 1, that the server refuses, or whose connection it drops before or after it took the mail. */
type Chances = { refuse?: number; lose_before?: number; lose_after?: number }

/** A real SMTP server that keeps what it takes and misbehaves when told to. */
export async function startMailServer({ refuse = 0, lose_before = 0, lose_after = 0 }: Chances = {}) {
  const mails: Taken[] = []
  let behaviour: MailBehaviour = 'take'
  const refusal = (text: string, responseCode = 451) => Object.assign(new Error(text), { responseCode })
  const refusals = new Map<MailBehaviour, Error>([
    ['refuse recipient', refusal('4.7.1 Greylisted, try again')],
    ['know no recipient', refusal('5.1.1 No such user here', 550)],
  ])

  const smtp = new SMTPServer({
    authOptional: true,
    // As many relays it offers a sign-in that it does not ask for.
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onConnect: (session, done) => {
      if (behaviour === 'hang up at greeting') hangUp(smtp)
      else done()
    },
    onRcptTo: (_address, _session, done) => done(refusals.get(behaviour)),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      if (behaviour === 'hang up at content') hangUp(smtp)
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (Math.random() < lose_before) return hangUp(smtp, session.id)
        if (behaviour === 'refuse content' || Math.random() < refuse) return done(refusal('4.3.0 Not now'))
        void PostalMime.parse(Buffer.concat(chunks)).then((mail) => {
          mails.push({
            to: session.envelope.rcptTo.map(({ address }) => address),
            from: mail.from?.address ?? '',
            subject: mail.subject ?? '',
            message_id: mail.messageId ?? '',
            date: mail.headers.find(({ key }) => key === 'date')?.value ?? '',
            html: mail.html ?? '',
            text: mail.text ?? '',
          })
          if (Math.random() < lose_after) hangUp(smtp, session.id)
          else done()
        })
      })
    },
  })
  smtp.on('error', () => undefined)
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  smtp.server.unref()
  const { port } = smtp.server.address() as AddressInfo

  return {
    url: `smtp+insecure://127.0.0.1:${port}`,
    mails,
    behave: (next: MailBehaviour) => {
      behaviour = next
    },
    close: () => new Promise<void>((resolve) => smtp.close(() => resolve())),
  }
}
export type MailServer = Awaited<ReturnType<typeof startMailServer>>

type Connection = { session: { id: string }; _socket: { destroy(): void } }

/** Drops the connection of one session, or of all. */
function hangUp(smtp: SMTPServer, id?: string) {
  for (const { session, _socket } of (smtp as unknown as { connections: Set<Connection> }).connections)
    if (id === undefined || session.id === id) _socket.destroy()
}

/** The same over HTTP, for tests that run inside workerd: GET /mails, POST /behave. */
export async function startMailControl(server: MailServer) {
  const control = createServer((request, response) => {
    if (request.method === 'GET') return void response.end(JSON.stringify(server.mails))
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      server.behave(body as MailBehaviour)
      server.mails.length = 0
      response.end('{}')
    })
  })
  // As of receivers.
  control.keepAliveTimeout = 3_600_000
  await new Promise<void>((resolve) => control.listen(0, '127.0.0.1', resolve))
  control.unref()
  return `http://127.0.0.1:${(control.address() as AddressInfo).port}`
}
