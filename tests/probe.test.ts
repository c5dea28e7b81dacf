import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { root } from '../scripts/start/options.ts'

test('an answer of a probed installation is shown as one short line that no terminal obeys', async () => {
  const late = ['\u001b[2J\u001b]0;owned\u0007ok  sign-in page\n\u009b31m', 'x'.repeat(100_000)]
  const server = createServer((_, response) => response.end(JSON.stringify({ status: '\u001b[31mlate', late })))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const run = promisify(execFile)(process.execPath, ['scripts/probe.ts', url], { cwd: root })
  const { stdout } = await run.catch((error: { stdout: string }) => error)
  server.close()
  expect(stdout).toContain('FAIL  readiness')
  // oxlint-disable-next-line no-control-regex
  expect(stdout.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
  expect(stdout.trim().split('\n')).toHaveLength(4)
  expect(stdout.length).toBeLessThan(2_000)
})
