import { env as bindings } from 'cloudflare:workers'
import worker from '../../../worker/index'
import { d1Limits } from '../../../worker/db/limits'
import type { Env } from '../../../worker/env'
import { onMessages, onSchedule } from '../../../worker/jobs'
import { usedCopy } from './late-copy'

type Queued = Parameters<typeof onMessages>[2][number]['body']
type Waiting = { queue: string; body: Queued; delay_s: number }
export type Mail = { to: string; subject: string; html: string; text: string; headers: Record<string, string> }

/** D1 refuses an invocation that asks it too often; the local runtime does not. */
function toInvocation(env: Env): Env {
  let queries = 0
  const prepare = (sql: string) => {
    if (++queries > d1Limits.queries_per_invocation)
      throw new Error('Too many API requests by single worker invocation')
    return env.DB.prepare(sql)
  }
  const get = (target: D1Database, name: keyof D1Database) =>
    name === 'prepare' ? prepare : Reflect.get(target, name).bind(target)
  return { ...env, DB: new Proxy(env.DB, { get: get as ProxyHandler<D1Database>['get'] }) }
}

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
    JOBS: queue('earshot-jobs'),
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
    onMessages(toInvocation(env), name, [{ body } as unknown as Parameters<typeof onMessages>[2][number]])
  /** With the jobs that go on in invocations of their own. */
  async function tick(now = new Date(), cron = '* * * * *') {
    await onSchedule(toInvocation(env), cron, now)
    const isJob = ({ queue: name }: Waiting) => name === 'earshot-jobs'
    for (let at = waiting.findIndex(isJob); at >= 0; at = waiting.findIndex(isJob))
      for (const { queue: name, body } of waiting.splice(at, 1)) await deliver(name, body)
  }
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

  /** The rows of a statement; values stand where they are bound. */
  async function sql<Row = Record<string, unknown>>(text: TemplateStringsArray, ...values: unknown[]) {
    const statement = env.DB.prepare(text.join('?')).bind(...values)
    return (await statement.all<Row>()).results
  }

  return { env, waiting, mails, mailServer, drain, deliver, tick, request, sql }
}
export type World = ReturnType<typeof aWorld>
