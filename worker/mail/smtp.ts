import { LogLevel, WorkerMailer } from 'worker-mailer'
import { errorText } from '../db/error-text'
import { encodeSubject, parseAddress, type Message } from './message'
import type { Transport } from './transport'

const timeout_ms = 15_000

type Reading = { reader: ReadableStreamDefaultReader<Uint8Array> }

/** worker-mailer 1.2.1 loops for ever when the server hangs up in the middle of an answer: this read ends instead. */
const endingRead = {
  async read(this: Reading) {
    const decoder = new TextDecoder()
    let answer = ''
    for (;;) {
      const { done, value } = await this.reader.read()
      if (done) throw new Error('The mail server closed the connection')
      answer += decoder.decode(value, { stream: true })
      const lastLine = answer.endsWith('\n') ? answer.trimEnd().split(/\r?\n/).at(-1) : undefined
      if (lastLine !== undefined && !/^\d{3}-/.test(lastLine)) return answer
    }
  },
}
Object.assign(WorkerMailer.prototype, endingRead)

type Greeted = {
  startTls: boolean
  secure: boolean
  supportsStartTls: boolean
  allowAuth: boolean
  credentials?: object
  parseCapabilities(answer: string): void
}
// A private method, which only our own declarations know.
const prototype = WorkerMailer.prototype as unknown as Greeted
const { parseCapabilities } = prototype

/** A relay may offer a sign-in that it does not ask for. Without this check it would continue unencrypted where the offer of STARTTLS is missing, which an attacker can remove. */
prototype.parseCapabilities = function (this: Greeted, answer: string) {
  parseCapabilities.call(this, answer)
  if (!this.credentials) this.allowAuth = false
  if (this.startTls && !this.secure && !this.supportsStartTls)
    throw new Error('The mail server offers no encryption (STARTTLS): smtp+insecure:// goes without')
}

const isUnreached = (error: unknown) => /proxy request failed|Stream was cancelled/i.test(errorText(error))

/** smtps:// speaks TLS from the start, smtp:// after STARTTLS, smtp+insecure:// never; one connection for a batch. */
export function smtpTransport(address: string): Transport {
  const url = new URL(address)
  const credentials = url.username
    ? { username: decodeURIComponent(url.username), password: decodeURIComponent(url.password) }
    : undefined
  let connection: WorkerMailer | null = null
  const connect = () =>
    WorkerMailer.connect({
      host: url.hostname,
      port: Number(url.port || (url.protocol === 'smtps:' ? 465 : 587)),
      secure: url.protocol === 'smtps:',
      startTls: url.protocol === 'smtp:',
      authType: ['plain', 'login'],
      logLevel: LogLevel.NONE,
      socketTimeoutMs: timeout_ms,
      ...(credentials && { credentials }),
    }).catch((error: unknown) => {
      // The runtime says no more of a certificate that is refused.
      if (!isUnreached(error)) throw error
      const encrypted = url.protocol === 'smtp+insecure:' ? '' : ', or its certificate is not valid for its name'
      throw new Error(`The mail server cannot be reached${encrypted}`, { cause: error })
    })

  return {
    async send({ to, from, subject, html, text, message_id, headers }: Message) {
      const mailer = (connection ??= await connect())
      const { name, email } = parseAddress(from)
      try {
        await mailer.send({
          from: name ? { name, email } : email,
          to,
          subject: encodeSubject(subject),
          html,
          text,
          // RFC 5322 calls the zone GMT obsolete.
          headers: { Date: new Date().toUTCString().replace('GMT', '+0000'), 'Message-ID': message_id, ...headers },
        })
      } catch (error) {
        // After a failure nobody knows what the server still expects.
        connection = null
        await mailer.close()
        throw error
      }
    },
    async close() {
      await connection?.close()
      connection = null
    },
  }
}
