import { Buffer } from 'node:buffer'
import { errorText } from '../../db/error-text'
import { ArchiveError } from '../../archives/archive-error'
import { isGzip, readWhole, openBytes, unpackStream } from '../../archives/unpack'
import type { Enlarge } from './lanes'
import { SourceError } from './source-error'

const [gzip, none] = ['gzip', 'none'] as const
const headersTimeout_ms = 60_000
const stallTimeout_ms = 30_000
/** The time limit for a whole document, even if its bytes keep trickling in. */
const documentTimeout_ms = 120_000

export type Opened = { body: ReadableStream<Uint8Array>; headers: Headers }

export class TooLarge extends SourceError {
  constructor(max_bytes: number) {
    super(`The source sent more than ${max_bytes} bytes`)
  }
}

type Reading = { max_bytes: number; headers?: Record<string, string> }

/** A larger document waits for its turn (`Enlarge`). */
const largeBytes = 1_000_000

/** Unpacks gzip, gives up after 30 s of silence, refuses a body above `max_bytes` (unpacked). Null when there is no such file. */
export async function openSource(url: string, { max_bytes, headers = {} }: Reading): Promise<Opened | null> {
  return unpack(await open(url, headers), max_bytes)
}

/** Opens a file only if it differs from the version that an earlier answer had. */
export async function openChanged(
  url: string,
  version: string,
  { max_bytes, headers = {} }: Reading,
): Promise<Opened | 'unchanged' | null> {
  const response = await requestChanged(url, version, headers)
  return response ? unpack(await accept(url, response), max_bytes) : 'unchanged'
}

/** Whether a file differs from that version, or is gone; reads nothing of it. */
export async function hasChanged(url: string, version: string, headers: Record<string, string> = {}) {
  const response = await requestChanged(url, version, headers)
  await (response && (await accept(url, response)))?.body.cancel()
  return response !== null
}

/** Null if the file still has that version. */
async function requestChanged(url: string, version: string, headers: Record<string, string>) {
  const condition = conditionFor(version)
  const response = await request(url, { ...headers, ...condition })
  // Some servers know no conditions and send the file again, with the same version.
  const isSame = response.status === 304 || (response.ok && readVersion(response.headers) === version)
  if (!condition || !isSame) return response
  await response.body?.cancel()
  return null
}

/** Name of the content of an answer: its ETag, else its Last-Modified; empty if it has neither. */
export const readVersion = (headers: Headers) => headers.get('etag') ?? headers.get('last-modified') ?? ''

/** Null for a version that no server has named. */
function conditionFor(version: string): Record<string, string> | null {
  if (/^(?:W\/)?"[^"]*"$/.test(version)) return { 'if-none-match': version }
  if (version.endsWith(' GMT')) return { 'if-modified-since': version }
  return null
}

async function unpack(opened: Awaited<ReturnType<typeof open>>, max_bytes: number): Promise<Opened | null> {
  if (!opened) return null
  // A range of a file may look like gzip by chance.
  const { body, packing } = opened.status === 206 ? { ...opened, packing: none } : await findPacking(opened.body)
  return {
    body: unpackStream(body, { packing, max_bytes, tooLarge: () => new TooLarge(max_bytes), wait: orStalled }),
    headers: opened.headers,
  }
}

export async function fetchText(
  url: string,
  { max_bytes, headers = {}, enlarge = async () => undefined }: Reading & { enlarge?: Enlarge },
): Promise<string | null> {
  const opened = await open(url, headers)
  if (!opened) return null
  const bytes = await readDocument(opened.body, max_bytes, enlarge)
  if (!isGzip(bytes)) return utf8.decode(bytes)
  if (bytes.length > largeBytes / 10) await enlarge()
  const tooLarge = () => new TooLarge(max_bytes)
  return utf8.decode(await readWhole(unpackStream(openBytes(bytes), { packing: 'gzip', max_bytes, tooLarge })))
}

const utf8 = new TextDecoder()

const open = async (url: string, headers: Record<string, string>) => accept(url, await request(url, headers))

async function accept(url: string, response: Response) {
  if (response.status === 404 && !response.headers.has('message')) {
    await response.body?.cancel()
    return null
  }
  if (!response.ok || !response.body) {
    await response.body?.cancel()
    const reason = response.headers.get('message')
    throw new SourceError(
      `${host(url)} answered ${response.status}${reason ? ` (${reason.slice(0, 200)})` : ''}`,
      retryAfter(response.headers.get('retry-after') ?? resetTime(response.headers), new Date()),
    )
  }
  return { body: response.body, headers: response.headers, status: response.status }
}

async function request(url: string, headers: Record<string, string>) {
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), headersTimeout_ms)
  try {
    return await fetch(url, {
      headers: { 'user-agent': 'Earshot', ...headers },
      signal: abort.signal,
      redirect: 'follow',
    })
  } catch (error) {
    const why = abort.signal.aborted
      ? `did not answer within ${headersTimeout_ms / 1000} s`
      : `could not be reached: ${text(error)}`
    throw new SourceError(`${host(url)} ${why}`)
  } finally {
    clearTimeout(timer)
  }
}

async function readDocument(body: ReadableStream<Uint8Array>, max_bytes: number, enlarge: Enlarge) {
  const reader = body.getReader()
  const pieces: Uint8Array[] = []
  let [bytes, spent_ms] = [0, 0]
  for (;;) {
    const before_ms = Date.now()
    const { done, value } = await orStalled(reader.read())
    if (done) break
    spent_ms += Date.now() - before_ms
    pieces.push(value)
    bytes += value.byteLength
    if (spent_ms > documentTimeout_ms) {
      await reader.cancel()
      throw new SourceError(`The source took more than ${documentTimeout_ms / 1000} s for a document`)
    }
    if (bytes > max_bytes) {
      await reader.cancel()
      throw new TooLarge(max_bytes)
    }
    if (bytes > largeBytes) await enlarge()
  }
  return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)
}

/** Throws a SourceError if the reading takes too long or breaks off. */
async function orStalled<Read>(reading: Promise<Read>) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stalled = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new SourceError(`The source fell silent for ${stallTimeout_ms / 1000} s`)),
      stallTimeout_ms,
    )
  })
  try {
    return await Promise.race([reading, stalled])
  } catch (error) {
    // A damaged file arrived whole: the transfer did not break off.
    const isOurs = error instanceof SourceError || error instanceof ArchiveError || /compress/.test(text(error))
    throw isOurs ? error : new SourceError(`The transfer broke off: ${text(error)}`)
  } finally {
    clearTimeout(timer)
  }
}

// fetch has already unpacked a .gz file that came as a gzip-encoded answer, so we look at the first bytes.
async function findPacking(body: ReadableStream<Uint8Array>) {
  const reader = body.getReader()
  const first = await orStalled(reader.read())
  reader.releaseLock()
  const whole = new IdentityTransformStream()
  // The reader of the other end gets the error.
  putBack(first.value, body, whole.writable).catch(() => undefined)
  return { body: whole.readable, packing: first.value && isGzip(first.value) ? gzip : none }
}

// The runtime pipes the rest without our code.
async function putBack(
  first: Uint8Array | undefined,
  source: ReadableStream<Uint8Array>,
  to: WritableStream<Uint8Array>,
) {
  const writer = to.getWriter()
  if (first) await writer.write(first)
  writer.releaseLock()
  await source.pipeTo(to)
}

// GitHub names the second at which a spent allowance is renewed.
function resetTime(headers: Headers) {
  const reset = headers.get('x-ratelimit-remaining') === '0' ? Number(headers.get('x-ratelimit-reset')) : 0
  return reset > 0 ? new Date(reset * 1000).toUTCString() : null
}

/** Seconds of a Retry-After header, which is a number or a date; null when there is none. */
function retryAfter(value: string | null, now: Date) {
  if (!value) return null
  const seconds = /^\d+$/.test(value.trim()) ? Number(value) : Math.ceil((Date.parse(value) - now.getTime()) / 1000)
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 86_400) : null
}

const host = (url: string) => new URL(url).host
const text = (error: unknown) => errorText(error)
