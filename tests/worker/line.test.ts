import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { openLine, type Db } from '../../worker/db/open'
import { statement, writeAndRead } from '../../worker/db/statement'
import { counters } from '../../worker/schema/counters'
import { aWorld } from './support/world'

const aLine = () => openLine(aWorld().env)
const one = (db: Db, value: number) => db.all<{ one: number }>(sql`SELECT ${value} AS one`)
const setNumber = (db: Db, value: number) =>
  db.run(
    sql`INSERT INTO counters(name, value) VALUES ('vulns', ${value}) ON CONFLICT(name) DO UPDATE SET value = excluded.value`,
  )
const getNumber = async (db: Db) =>
  (await db.all<{ value: number }>(sql`SELECT value FROM counters WHERE name = 'vulns'`))[0]?.value

test('queries of one turn travel at once, however they are asked, and each hears its own', async () => {
  const { db } = aLine()
  const deep = async () => {
    for (let step = 0; step < 10; step++) await Promise.resolve()
    return one(db, 3)
  }
  const found = await Promise.all([
    one(db, 1),
    db.select().from(counters).limit(0),
    db.batch([db.select({ value: sql<number>`2` }).from(sql`(SELECT 1)`), db.select().from(counters).limit(0)]),
    deep(),
    db.$client.prepare('SELECT 4 AS four').first('four'),
  ])
  expect(found).toEqual([[{ one: 1 }], [], [[{ value: 2 }], []], [{ one: 3 }], 4])
  expect([db.meter.trips, db.meter.queries]).toEqual([1, 6])
  await one(db, 5)
  expect(db.meter.trips).toBe(2)
})

test('a statement that fails fails alone, with its own error', async () => {
  const { db } = aLine()
  const wrong = () => db.all(sql`SELECT json_extract('{}', 'no path')`)
  const alone = await wrong().catch((error: Error) => String(error.cause))
  const [first, second, third] = await Promise.allSettled([one(db, 1), wrong(), one(db, 3)])
  expect([first, third]).toEqual([
    { status: 'fulfilled', value: [{ one: 1 }] },
    { status: 'fulfilled', value: [{ one: 3 }] },
  ])
  expect(alone).toContain('D1_ERROR')
  expect(second?.status === 'rejected' && String((second.reason as Error).cause)).toBe(alone)
})

test('a busy database is not asked again by each of those who wait', async () => {
  let asked = 0
  const overloaded = async () => {
    asked++
    throw new Error('D1_ERROR: D1 DB is overloaded. Too many requests queued.')
  }
  const inner = { bind: () => inner, all: overloaded }
  const session = { prepare: () => inner, batch: overloaded }
  const DB = { ...session, withSession: () => session } as unknown as D1Database
  const { db } = openLine(aWorld({ DB }).env)
  const found = await Promise.allSettled([1, 2, 3].map((value) => one(db, value)))
  expect([asked, found.map(({ status }) => status)]).toEqual([1, Array(3).fill('rejected')])
})

test('a write travels alone, and a batch holds at most so many statements and bytes', async () => {
  const { db } = aLine()
  await Promise.all([one(db, 1), setNumber(db, 7), one(db, 2)])
  expect([db.meter.trips, db.meter.rows_written > 0]).toEqual([3, true])
  await db.$client.batch([
    statement(db, sql`SELECT 1`),
    statement(db, sql`WITH x AS (SELECT 8 AS v) UPDATE counters SET value = (SELECT v FROM x) WHERE name = 'vulns'`),
  ])
  expect(await getNumber(db)).toBe(8)
  const before = db.meter.trips
  await Promise.all(Array.from({ length: 60 }, (_, at) => one(db, at)))
  expect(db.meter.trips - before).toBe(3)
  const long = 'x'.repeat(800_000)
  await Promise.all([1, 2, 3].map(() => db.all(sql`SELECT length(${long}) AS length`)))
  expect(db.meter.trips - before).toBe(6)
})

test('held work tells nothing and writes nothing before it is cleared, nor ever if it is not', async () => {
  const { db, hold } = aLine()
  await setNumber(db, 1)
  const { promise: cleared, resolve: clear } = Promise.withResolvers<void>()
  const heard: unknown[] = []
  const held = hold(cleared)
  const work = async () => {
    heard.push(await one(held, 1))
    await setNumber(held, 2)
  }
  const failing = () => held.all(sql`SELECT json_extract('{}', 'no path')`).catch(() => heard.push('failed'))
  const first = [work(), failing(), setNumber(held, 3), getNumber(db)]
  const forgotten = hold(new Promise<void>(() => undefined))
  void one(forgotten, 9).then((value) => heard.push(value))
  void setNumber(forgotten, 9)
  // Longer than the reads take that are under way.
  expect([await first[3], await getNumber(db), await getNumber(db)]).toEqual([1, 1, 1])
  expect(heard).toEqual([])
  clear()
  await Promise.all(first)
  expect(heard).toHaveLength(2)
  expect(heard).not.toContainEqual([{ one: 9 }])
  expect(await getNumber(db)).toBeLessThan(9)
})

test('rows that a batch leaves are read in it, late queries after it, and of one that fails its own error is told', async () => {
  const { db } = aLine()
  const write = (value: string) => async (reads: D1PreparedStatement[]) => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    const change = db.$client.prepare(
      `INSERT INTO counters(name, value) VALUES ('vulns', ${value}) ON CONFLICT(name) DO UPDATE SET value = excluded.value`,
    )
    return db.$client.batch([change, ...reads])
  }
  expect(await writeAndRead(db, write('7'), getNumber)).toBe(7)
  expect(db.meter.trips).toBe(1)
  const late = async (after: Db) => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    return getNumber(after)
  }
  expect(await writeAndRead(db, write('8'), late)).toBe(8)
  await expect(writeAndRead(db, write(`json_extract('{}', 'no path')`), getNumber)).rejects.toThrow('no path')
  await expect(writeAndRead(db, write(`json_extract('{}', 'no path')`), late)).rejects.toThrow('no path')
  expect(await getNumber(db)).toBe(8)
})
