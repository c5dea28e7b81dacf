import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { root } from './support/sources'
import { tooOld } from '../scripts/sqlite-version'

const config = readFileSync(`${root}wrangler.toml`, 'utf8')
const queues = [...config.matchAll(/queues\.producers\]\]\nbinding = "\w+"\nqueue = "([\w-]+)"/g)].map(
  ([, name]) => name,
)

test('each queue gives up into a dead-letter queue that somebody reads', () => {
  expect(queues).toHaveLength(3)
  for (const queue of queues) {
    expect(config).toContain(`dead_letter_queue = "${queue}-dead"`)
    expect(config).toContain(`[[queues.consumers]]\nqueue = "${queue}-dead"`)
  }
})

test('a step of a feed may use the CPU it needs, and no log of requests keeps the tokens in their paths', () => {
  expect(Number(/cpu_ms = ([\d_]+)/.exec(config)?.[1]?.replace('_', ''))).toBeGreaterThanOrEqual(30_000)
  expect(config).toContain('invocation_logs = false')
})

test.each([
  ['3.51.0', false],
  ['3.51', false],
  ['3.52.1', false],
  ['4.0', false],
  ['3.50.4', true],
  ['3.9.0', true],
  ['unknown', true],
  ['', true],
])('a database of SQLite %s is too old: %s', (version, isOld) => {
  expect(tooOld(version)).toBe(isOld)
})
