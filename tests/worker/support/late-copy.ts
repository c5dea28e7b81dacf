import { isRead } from '../../../worker/db/line'
import { bookmarkHeader } from '../../../worker/http/bookmark'

type Asked = { sql: string; values: unknown[] }
type Base = Pick<D1Database, 'prepare' | 'batch'>

const isPublic = /^\/(?!users\/|api\/)|^\/api\/public\//

/** Sessions' own keys are made by the database: a copy has them from the primary. */
const makesKeys = /insert\s+into\s+"?sessions"?/i

/**
 * D1 with a copy that knows no more than a session's bookmark asks for, which is the longest that a copy can be late. It is kept in another
 * database by doing again what was written. One that is `forgetful` takes no notice of bookmarks: a fault, to be found.
 */
export function aLateCopy(primary: D1Database, copy: D1Database, hasTeller: boolean) {
  const log: Asked[][] = []
  const state = { known: 0, isForgetful: false, told: 0, shared: 0 }
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = <Found>(work: () => Promise<Found>): Promise<Found> => {
    const next = turn.then(work)
    turn = next.catch(() => undefined)
    return next
  }
  const send = (base: Base, asked: Asked[]) =>
    base.batch(asked.map(({ sql, values }) => base.prepare(sql).bind(...values)))

  const askPrimary = (asked: Asked[]) =>
    inTurn(async () => {
      const results = await send(primary, asked)
      if (asked.every(isRead)) return { results, at: log.length }
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
  const askCopy = (asked: Asked[], bookmark: number) =>
    inTurn(async () => {
      if (!state.isForgetful) await learn(Math.min(bookmark, log.length))
      const results = await send(copy, asked)
      return {
        results: results.map(({ meta, ...result }) => ({ ...result, meta: { ...meta, served_by_primary: false } })),
        at: state.known,
      }
    })

  /** Everybody but a session asks the primary, and the teller of the test knows what was done so. */
  async function askDirectly(asked: Asked[]) {
    const { results, at } = await askPrimary(asked)
    if (!asked.every(isRead)) state.told = at
    return results
  }
  function withSession(start: string = 'first-unconstrained') {
    let bookmark = start.startsWith('first-') ? null : toPosition(start)
    const ask = async (asked: Asked[]) => {
      const isAnywhere = bookmark !== null || start === 'first-unconstrained'
      const { results, at } = await (isAnywhere && asked.every(isRead)
        ? askCopy(asked, bookmark ?? state.shared)
        : askPrimary(asked))
      bookmark = Math.max(bookmark ?? 0, at)
      return results
    }
    return { ...toBase(ask), getBookmark: () => (bookmark === null ? null : toBookmark(bookmark)) }
  }
  return {
    DB: { ...toBase(askDirectly), withSession } as unknown as D1Database,
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

type Ask = (asked: Asked[]) => Promise<D1Result[]>

function toBase(ask: Ask) {
  const statement = (sql: string, values: unknown[]) => {
    const all = async () => (await ask([{ sql, values }]))[0]
    return {
      sql,
      values,
      bind: (...given: unknown[]) => statement(sql, given),
      all,
      run: all,
      first: async (column?: string) => {
        const row = (await all())?.results[0] as Record<string, unknown> | undefined
        return (column === undefined ? row : row?.[column]) ?? null
      },
      raw: async () => (await all())?.results.map((row) => Object.values(row as object)) ?? [],
    }
  }
  return {
    prepare: (sql: string) => statement(sql, []),
    batch: (statements: unknown[]) => ask(statements as Asked[]),
    exec: (sql: string) => ask([{ sql, values: [] }]),
  }
}

const rest = `-00000000-00000000-${'0'.repeat(32)}`
const toBookmark = (position: number) => `${position.toString(16).padStart(8, '0')}${rest}`
const toPosition = (bookmark: string) => Number.parseInt(bookmark.slice(0, 8), 16)
