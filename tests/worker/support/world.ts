import { env as bindings } from 'cloudflare:workers'
import worker from '../../../worker/index'
import type { Env } from '../../../worker/env'
import { onMessages, onSchedule } from '../../../worker/jobs'
import { usedCopy } from './late-copy'

type Queued = Parameters<typeof onMessages>[2][number]['body']
type Waiting = { queue: string; body: Queued; delay_s: number }
export type Mail = { to: string; subject: string; html: string; text: string; headers: Record<string, string> }

/** The Worker with its real database, queues that wait to be driven, and a mail server that keeps what it takes. */
export function aWorld(settings: Partial<Env> = {}) {
  const waiting: Waiting[] = []
  const mails: Mail[] = []
  const mailServer = { refuse: null as string | null, unknown: '', says: '550 5.1.1 No such user here' }
  const queue = (name: string) => ({
    send: async (body: Queued, options?: { delaySeconds?: number }) => {
      waiting.push({ queue: name, body, delay_s: options?.delaySeconds ?? 0 })
    },
  })
  const env = {
    ...(bindings as unknown as Env),
    ...(usedCopy() && { DB: usedCopy()?.DB }),
    // Feeds that a test does not name have no address, so that they neither ask nor fail.
    OFFLINE: '1',
    APP_URL: 'https://earshot.test',
    // A test asks faster than people do; the throttle has tests of its own.
    RATE_SCALE: '1000',
    RATE_LIMIT_API: undefined,
    NOTE_REFUSALS: '0',
    // So does what the edge keeps.
    EDGE_CACHE: '0',
    // Backups have a test of their own.
    BACKUPS: undefined,
    ASSETS: { fetch: async () => new Response((bindings as { PUBLIC_PAGE?: string }).PUBLIC_PAGE) },
    SMTP_URL: undefined,
    FEEDS: queue('earshot-feeds'),
    ALERTS: queue('earshot-alerts'),
    VERDICTS: queue('earshot-verdicts'),
    DELIVERIES: queue('earshot-deliveries'),
    MAIL: {
      send: async (mail: Mail) => {
        if (mailServer.refuse) throw new Error(mailServer.refuse)
        if (mailServer.unknown === mail.to) throw new Error(mailServer.says)
        mails.push(mail)
      },
    },
    ...settings,
  } as unknown as Env

  /** Hands the messages that wait to their consumers, and those that these send, until none is left or all put themselves off. */
  async function drain(steps = 500) {
    for (let [step, putOff] = [0, 0]; putOff < waiting.length; step++) {
      if (step === steps) throw new Error(`Still ${waiting.length} messages after ${steps}`)
      const { queue: name, body } = waiting.shift() as Waiting
      await deliver(name, body)
      const last = waiting.at(-1)
      putOff = last && last.delay_s > 0 && JSON.stringify(last.body) === JSON.stringify(body) ? putOff + 1 : 0
    }
  }
  const deliver = (name: string, body: Queued) =>
    onMessages(env, name, [{ body } as unknown as Parameters<typeof onMessages>[2][number]])
  const tick = (now = new Date(), cron = '* * * * *') => onSchedule(env, cron, now)
  async function request(path: string, init?: RequestInit) {
    const later: Promise<unknown>[] = []
    const context = { waitUntil: (work: Promise<unknown>) => later.push(work) } as unknown as ExecutionContext
    const asked = new Request(new URL(path, env.APP_URL), init)
    usedCopy()?.tell(asked)
    const response = await worker.fetch(asked, env, context)
    await Promise.all(later)
    usedCopy()?.hear(response)
    return response
  }

  return { env, waiting, mails, mailServer, drain, deliver, tick, request }
}
export type World = ReturnType<typeof aWorld>
