// `npm run probe -- https://earshot.example [--every 60] [--report]`: whether an installation answers, seen from here. Anybody may run it;
// with the installation's PROBE_TOKEN in the environment, --report tells it what was seen, for its status page.
import { setTimeout as sleep } from 'node:timers/promises'
import { readArguments } from './start/arguments.ts'

const timeout_ms = 10_000
const maxBytes = 5_000_000
const measuredWithin_ms = 20 * 60_000
const shortest_s = 10
const maxShown = 300
/** Looks that could not be reported are kept for three days of one a minute, and reported so many at a time. */
const maxKept = 4_320
const perReport = 500

type Check = { name: string; path: string; judge: (text: string) => string | null }
type Found = { name: string; ok: boolean; ms: number; problem: string | null }

const readFields = (text: string) => JSON.parse(text) as Record<string, unknown>

/** Each answers what is wrong, or null. */
const checks: Check[] = [
  { name: 'sign-in page', path: '/auth', judge: (text) => (text.includes('<title>') ? null : 'it is no page') },
  {
    name: 'readiness',
    path: '/readyz',
    judge: (text) => {
      const { status, late } = readFields(text)
      return status === 'ready'
        ? null
        : `${String(status)}: ${Array.isArray(late) ? late.join(', ') : 'nobody knows what'}`
    },
  },
  {
    name: 'public list',
    path: '/api/public/vulns/?limit=10',
    judge: (text) => {
      const { results } = readFields(text)
      return Array.isArray(results) && results.length > 0 ? null : 'it holds no vulnerability'
    },
  },
  { name: 'status', path: '/api/public/status', judge: judgeStatus },
]

function judgeStatus(text: string) {
  const { measured_at, objectives } = readFields(text)
  if (typeof measured_at !== 'string' || !Array.isArray(objectives)) return 'nothing was measured yet'
  if (Date.now() - Date.parse(measured_at) > measuredWithin_ms) return `nothing was measured since ${measured_at}`
  // Findings of probes are none of this one.
  const bad = (objectives as Record<'id' | 'name' | 'now', string>[]).filter(
    ({ id, now }) => now === 'bad' && id !== 'outside',
  )
  return bad.length ? `not as it should be: ${bad.map(({ name }) => name).join(', ')}` : null
}

async function runCheck(base: string, { name, path, judge }: Check): Promise<Found> {
  const start = performance.now()
  const problem = await findProblem(new URL(path, base), judge)
  return { name, ok: problem === null, ms: Math.round(performance.now() - start), problem: problem && toLine(problem) }
}

/** Text of the other side is no command to the terminal that shows it. */
const toLine = (text: string) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, maxShown)

async function findProblem(url: URL, judge: Check['judge']) {
  const signal = AbortSignal.timeout(timeout_ms)
  try {
    const headers = { 'user-agent': 'Earshot probe', accept: 'text/html, application/json' }
    const response = await fetch(url, { signal, headers, redirect: 'manual' })
    const text = await readText(response)
    return response.status === 200 ? judge(text) : `it answered ${response.status}`
  } catch (error) {
    if (signal.aborted) return `no answer within ${timeout_ms / 1000} s`
    if (error instanceof SyntaxError) return 'it is no JSON'
    return error instanceof Error ? error.message : String(error)
  }
}

async function readText(response: Response) {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of response.body ?? []) {
    pieces.push(piece)
    bytes += piece.byteLength
    if (bytes > maxBytes) throw new Error(`it sent more than ${maxBytes} bytes`)
  }
  return Buffer.concat(pieces).toString()
}

async function probe(base: string) {
  const found: Found[] = []
  for (const check of checks) found.push(await runCheck(base, check))
  return found
}

/** It answers people: the other checks say how it does. */
const isThere = (found: Found[]) =>
  found.every(({ name, ok }) => ok || (name !== 'sign-in page' && name !== 'public list'))

type Look = { at: string; is_ok: boolean }

/** Oldest first; looks not taken now are with the next ones. */
async function report(base: string, kept: Look[]) {
  while (kept.length) {
    const looks = kept.slice(0, perReport)
    const response = await fetch(new URL('/api/service/looks', base), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: process.env.PROBE_TOKEN ?? '', looks }),
      signal: AbortSignal.timeout(timeout_ms),
      redirect: 'manual',
    })
    await response.body?.cancel()
    if (response.status !== 200) throw new Error(`it answered ${response.status}`)
    kept.splice(0, looks.length)
  }
}

const kept: Look[] = []
async function look(base: string) {
  const at = new Date().toISOString()
  const found = await probe(base)
  if (!values.report) return { at, found, isReported: true }
  kept.push({ at, is_ok: isThere(found) })
  kept.splice(0, kept.length - maxKept)
  const isReported = await report(base, kept).then(
    () => true,
    (error: unknown) => {
      console.error(`Not reported: ${error instanceof Error ? error.message : String(error)}`)
      return false
    },
  )
  return { at, found, isReported }
}

const usage = `npm run probe -- https://earshot.example [--every 60] [--report]   (${shortest_s} seconds or more; --report needs PROBE_TOKEN)`
const { values, positionals } = readArguments(usage, {
  options: { every: { type: 'string' }, report: { type: 'boolean' } },
  allowPositionals: true,
})
const [base = ''] = positionals
const every_s = Number(values.every ?? shortest_s)
if (!/^https?:$/.test(URL.parse(base)?.protocol ?? '') || !(every_s >= shortest_s)) {
  console.error(usage)
  process.exit(2)
}

if (values.every === undefined) {
  const { found, isReported } = await look(base)
  for (const { name, ok, ms, problem } of found)
    console.log(`${ok ? 'ok  ' : 'FAIL'}  ${name.padEnd(12)}  ${String(ms).padStart(6)} ms  ${problem ?? ''}`.trimEnd())
  process.exit(isReported && found.every(({ ok }) => ok) ? 0 : 1)
}
for (;;) {
  const started = Date.now()
  const { at, found } = await look(base)
  console.log(JSON.stringify({ at, url: base, ok: found.every(({ ok }) => ok), checks: found }))
  await sleep(Math.max(0, started + every_s * 1000 - Date.now()))
}
