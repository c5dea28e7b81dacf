export type AskedStatement = { sql: string; values: unknown[] }
type Answered = { results: unknown[]; at: number }
type Ask = (asked: AskedStatement[]) => Promise<unknown[]>
/** Whether any copy may answer, and how many writes it must know of. */
type Session = { isAnywhere: boolean; seen: number | null }

export const isReading = ({ sql }: AskedStatement) =>
  /^\s*(?:select|with)\b/i.test(sql) && !/\b(?:insert|update|delete|replace) /i.test(sql)

/** D1's face for anything that answers batches, and knows how many writes its answer knows of; each query and each batch is a trip. */
export function asSessions(ask: (asked: AskedStatement[], session: Session | null) => Promise<Answered>) {
  const askDirectly: Ask = async (asked) => (await ask(asked, null)).results
  const withSession = (start = 'first-unconstrained') => {
    let seen = start.startsWith('first-') ? null : toPosition(start)
    const askNext: Ask = async (asked) => {
      const isAnywhere = (seen !== null || start === 'first-unconstrained') && asked.every(isReading)
      const { results, at } = await ask(asked, { isAnywhere, seen })
      seen = Math.max(seen ?? 0, at)
      return results
    }
    return { ...byTrips(askNext), getBookmark: () => (seen === null ? null : toBookmark(seen)) }
  }
  return { ...byTrips(askDirectly), withSession }
}

function byTrips(ask: Ask) {
  const statement = (sql: string, values: unknown[]) => {
    const all = async () => (await ask([{ sql, values }]))[0] as { results: object[] } | undefined
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
      raw: async () => (await all())?.results.map((row) => Object.values(row)) ?? [],
    }
  }
  return {
    prepare: (sql: string) => statement(sql, []),
    batch: (statements: unknown[]) => ask(statements as AskedStatement[]),
    exec: (sql: string) => ask([{ sql, values: [] }]),
  }
}

/** After so many writes. */
export const toBookmark = (position: number) =>
  `${position.toString(16).padStart(8, '0')}-00000000-00000000-${'0'.repeat(32)}`
export const toPosition = (bookmark: string) => Number.parseInt(bookmark.slice(0, 8), 16)
