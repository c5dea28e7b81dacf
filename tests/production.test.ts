import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../scripts/start/options'
import { judgeAnswer, tooOld } from '../scripts/sqlite-version'

const config = readFileSync(`${root}wrangler.toml`, 'utf8')
const queues = [...config.matchAll(/queues\.producers\]\]\nbinding = "\w+"\nqueue = "([\w-]+)"/g)].map(
  ([, name]) => name,
)

test('each queue gives up into a dead-letter queue that somebody reads', () => {
  expect(queues).toHaveLength(4)
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

/** What `npm run deploy` begins with, where a wrangler answers this. */
function checkRemote(script: string) {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-wrangler-'))
  writeFileSync(join(folder, 'wrangler'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, 'wrangler'), 0o755)
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` }
  const { status, stderr } = spawnSync(process.execPath, [`${root}scripts/check-remote.ts`], { env, encoding: 'utf8' })
  return [status, stderr.trim()]
}

test('a deployment asks the remote database first, and is refused with a sentence where it is too old or silent', () => {
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: { deploy: string } }
  expect(scripts.deploy).toMatch(/^node scripts\/check-remote\.ts && npm audit --omit=dev && /)
  const answer = (version: string) => `echo '[{"results":[{"version":"${version}"}],"success":true}]'`
  expect(checkRemote(`test "$1 $2 $3 $4" = "d1 execute DB --remote" && ${answer('3.51.1')}`)).toEqual([0, ''])
  expect(checkRemote(answer('3.46.0'))).toEqual([
    1,
    'The remote database runs SQLite 3.46.0, and 3.51 or newer is needed: nothing was deployed.',
  ])
  expect(checkRemote('echo "Not logged in." >&2; exit 1')).toEqual([
    1,
    expect.stringMatching(/could not be asked for its version: nothing was deployed\.$/),
  ])
  expect(judgeAnswer(() => 'no JSON')).toMatch(/SQLite unknown/)
})
