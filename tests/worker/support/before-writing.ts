/** A database that does something else before each batch with such a statement. */
export function beforeWriting(real: D1Database, sign: string, act: () => Promise<unknown>): D1Database {
  let isAwaited = false
  const watch = <Base extends D1Database | D1DatabaseSession>(base: Base) => ({
    prepare: (sql: string) => {
      isAwaited ||= sql.includes(sign)
      return base.prepare(sql)
    },
    batch: async (statements: D1PreparedStatement[]) => {
      if (isAwaited) await act()
      isAwaited = false
      return base.batch(statements)
    },
  })
  const withSession: D1Database['withSession'] = (start) => {
    const session = real.withSession(start)
    return { ...watch(session), getBookmark: () => session.getBookmark() } as D1DatabaseSession
  }
  return { ...watch(real), withSession } as D1Database
}
