import type { Meter } from './limits'
import { type Send, isRead } from './line'
import { metered } from './meter'
import { unlessLate } from './readers'

/**
 * A copy of the database that does not know what a bookmark stands for waits until it does; the primary has it already, and is mostly
 * nearer than that.
 */
const patience_ms = 300

export type Session = ReturnType<typeof newSession>

/**
 * The queries of a request: at the primary until it is told to begin anywhere, or at a copy as new as a bookmark. Later answers
 * are never older than earlier ones. A copy that fails, or takes too long, is left for the primary.
 */
export function newSession(db: D1Database, meter: Meter) {
  let start: D1SessionConstraint | D1SessionBookmark = 'first-primary'
  let opened: D1DatabaseSession | undefined
  let seen: D1SessionBookmark | null = null
  const isAtPrimary = () => start === 'first-primary'
  const ask: Send = async (statements) => {
    const from = start
    // A session that goes on may ask a copy, which would wait until it knows what the primary has just said.
    const session = isAtPrimary() ? db.withSession(start) : (opened ??= db.withSession(start))
    const results = await metered(session, meter)(statements)
    const known = session.getBookmark()
    if (from === start && known !== null && known > (seen ?? '')) seen = known
    return results
  }
  const begin = (at: typeof start) => {
    start = at
    opened = undefined
    seen = null
  }
  return {
    begin,
    isAtPrimary,
    /** State of the database seen so far. */
    bookmark: () => seen,
    send: async (statements: Parameters<Send>[0]) => {
      if (isAtPrimary() || !statements.every(isRead)) return ask(statements)
      const found = await unlessLate(
        ask(statements).catch(() => undefined),
        patience_ms,
      )
      if (found) return found
      if (!isAtPrimary()) begin('first-primary')
      return ask(statements)
    },
  }
}
