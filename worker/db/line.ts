import { isBusy } from './error-text'
import { utf8Length } from './limits'

/** How statements get to the database and their results back. */
export type Send = (statements: ReadyStatement[]) => Promise<D1Result[]>
export type ReadyStatement = { sql: string; values: unknown[] }
export type Way = { read: Send; write: Send }

export type Waiting = {
  statements: ReadyStatement[]
  resolve: (results: D1Result[]) => void
  reject: (error: unknown) => void
}

/** Steps of the microtask queue: after so many, each function that a request called in one turn has come to its first read. */
const steps = 50
export async function settleTurn() {
  for (let step = 0; step < steps; step++) await Promise.resolve()
}
/** Of one batch: its results are held at once, like its statements. */
const most = { statements: 25, bytes: 1_500_000 }

/** Only what begins as a reading statement and names no writing one. */
export const isRead = ({ sql }: Pick<ReadyStatement, 'sql'>) =>
  /^\s*select\b/i.test(sql) || (/^\s*with\b/i.test(sql) && !/\b(?:insert|update|delete|replace)\b/i.test(sql))

/** The count of a try changes nothing that anybody sees: it travels with the reads, before it is known who calls. */
const isTry = ({ sql }: ReadyStatement) => /^\s*insert into throttles\b/i.test(sql)
export const isEarly = (statement: ReadyStatement) => isRead(statement) || isTry(statement)

/** Reads that are asked in one turn travel as one batch. A write travels alone, after the reads that were asked before it. */
export function newLine(send: Send): Way {
  let waiting: Waiting[] = []
  let size = { statements: 0, bytes: 0 }

  function depart() {
    const batch = waiting
    waiting = []
    size = { statements: 0, bytes: 0 }
    if (batch.length) void travel(send, batch)
  }

  async function departAfterTurn() {
    const batch = waiting
    await settleTurn()
    if (batch === waiting) depart()
  }

  return {
    read: (statements) =>
      new Promise((resolve, reject) => {
        const bytes = statements.reduce((sum, statement) => sum + byteLength(statement), 0)
        const isFull =
          size.statements + statements.length > most.statements || (size.bytes > 0 && size.bytes + bytes > most.bytes)
        if (isFull) depart()
        size = { statements: size.statements + statements.length, bytes: size.bytes + bytes }
        waiting.push({ statements, resolve, reject })
        if (waiting.length === 1) void departAfterTurn()
      }),
    write: (statements) => {
      depart()
      return send(statements)
    },
  }
}

const byteLength = ({ sql, values }: ReadyStatement) =>
  values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? utf8Length(value) : 8), sql.length)

/** To each its own of the results, which may begin with those of others. */
export function handOut(asked: Waiting[], results: D1Result[]) {
  let at = results.length - asked.reduce((sum, { statements }) => sum + statements.length, 0)
  for (const { statements, resolve } of asked) resolve(results.slice(at, (at += statements.length)))
}

/** A batch fails as a whole: then each asks on its own, so that the others do not hear of one's error. */
async function travel(send: Send, batch: Waiting[]) {
  try {
    handOut(batch, await send(batch.flatMap(({ statements }) => statements)))
  } catch (error) {
    const isOwn = batch.length === 1 || isBusy(error)
    for (const { statements, resolve, reject } of batch)
      if (isOwn) reject(error)
      else send(statements).then(resolve, reject)
  }
}

/** Lets no result out, and no other write on its way, until `cleared` says so: the caller hears nothing if it never does. */
export const heldUntil = (cleared: Promise<void>, { read, write }: Way): Way => ({
  read: async (statements) => {
    try {
      return await read(statements)
    } finally {
      await cleared
    }
  },
  write: async (statements) => {
    await cleared
    return write(statements)
  },
})
