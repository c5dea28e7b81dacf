import { bookmarkHeader } from '../../../worker/http/bookmark'
import { asSessions, isReading, toBookmark, toPosition, type AskedStatement } from '../../support/d1-sessions'

type Base = Pick<D1Database, 'prepare' | 'batch'>

const isPublic = /^\/(?!users\/|api\/)|^\/api\/public\//

/** Sessions' own keys are made by the database: a copy has them from the primary. */
const makesKeys = /insert\s+into\s+"?sessions"?/i

/**
 * D1 with a copy that knows no more than a session's bookmark asks for, which is the longest that a copy can be late. It is kept in another
 * database by doing again what was written. One that is `forgetful` takes no notice of bookmarks: a fault, to be found.
 */
export function aLateCopy(primary: D1Database, copy: D1Database, hasTeller: boolean) {
  const log: AskedStatement[][] = []
  const state = { known: 0, isForgetful: false, told: 0, shared: 0 }
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = <Found>(work: () => Promise<Found>): Promise<Found> => {
    const next = turn.then(work)
    turn = next.catch(() => undefined)
    return next
  }
  const send = (base: Base, asked: AskedStatement[]) =>
    base.batch(asked.map(({ sql, values }) => base.prepare(sql).bind(...values)))

  const askPrimary = (asked: AskedStatement[]) =>
    inTurn(async () => {
      const results = await send(primary, asked)
      if (asked.every(isReading)) return { results, at: log.length }
      log.push(asked)
      if (asked.some(({ sql }) => makesKeys.test(sql))) {
        const { results: made } = await primary
          .prepare('SELECT id, secret FROM sessions')
          .all<Record<string, unknown>>()
        const sql = 'UPDATE sessions SET secret = ?2 WHERE id = ?1'
        log.push(made.map(({ id, secret }) => ({ sql, values: [id, secret] })))
      }
      return { results, at: log.length }
    })
  async function learn(until: number) {
    for (; state.known < until; state.known++) await send(copy, log[state.known] ?? [])
  }
  const askCopy = (asked: AskedStatement[], bookmark: number) =>
    inTurn(async () => {
      if (!state.isForgetful) await learn(Math.min(bookmark, log.length))
      const results = await send(copy, asked)
      return {
        results: results.map(({ meta, ...result }) => ({ ...result, meta: { ...meta, served_by_primary: false } })),
        at: state.known,
      }
    })

  const DB = asSessions(async (asked, session) => {
    if (session?.isAnywhere) return askCopy(asked, session.seen ?? state.shared)
    const answered = await askPrimary(asked)
    // Everybody but a session asks so, and the teller of the test knows what was done.
    if (!session && !asked.every(isReading)) state.told = answered.at
    return answered
  })
  return {
    DB: DB as unknown as D1Database,
    state,
    catchUp: () => inTurn(() => learn(log.length)),
    /** A request knows what its teller wrote and was answered, unless it says for itself what it knows. */
    tell({ url, headers }: Request) {
      // Public answers go by no bookmark: they come when a copy has learned what was done.
      if (hasTeller && isPublic.test(new URL(url).pathname)) state.shared = state.told
      if (hasTeller && state.told > 0 && !headers.has(bookmarkHeader))
        headers.set(bookmarkHeader, toBookmark(state.told))
    },
    hear({ headers }: Response) {
      state.told = Math.max(state.told, toPosition(headers.get(bookmarkHeader) ?? '0'))
    },
  }
}

type LateCopy = ReturnType<typeof aLateCopy>
const used: { copy?: LateCopy } = {}

/** From now on, until another is used, each world of the test has this copy; with a teller its requests know what was done before them. */
export async function readFromLateCopy(primary: D1Database, copy: D1Database, hasTeller = false) {
  await copy.batch(((globalThis as { migrated?: string[] }).migrated ?? []).map((sql) => copy.prepare(sql)))
  used.copy = aLateCopy(primary, copy, hasTeller)
  return used.copy
}

export const usedCopy = () => used.copy
export const stopUsingCopy = () => delete used.copy
