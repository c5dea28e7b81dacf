import { SourceError } from './source-error'

const headersTimeout_ms = 60_000
const stallTimeout_ms = 30_000

export type Source = { body: ReadableStream<Uint8Array>; headers: Headers }

/**
 * Opens a source as a stream of plain bytes: gzip is unpacked, a silent server is given up after 30 s, and a body above
 * `max_bytes` (unpacked) is refused. Null when the server has no such file.
 */
export async function openSource(
  url: string,
  { max_bytes, headers = {} }: { max_bytes: number; headers?: Record<string, string> },
): Promise<Source | null> {
  const response = await request(url, headers)
  if (response.status === 404 && !response.headers.has('message')) {
    await response.body?.cancel()
    return null
  }
  if (!response.ok || !response.body) {
    await response.body?.cancel()
    const said = response.headers.get('message')
    throw new SourceError(
      `${host(url)} answered ${response.status}${said ? ` (${said.slice(0, 200)})` : ''}`,
      retryAfter(response.headers.get('retry-after') ?? resetTime(response.headers), new Date()),
    )
  }
  const body = watchStalls(response.body)
  // A part of a file may look like the beginning of another.
  const isPart = response.status === 206
  const plain = isPart ? body.pipeThrough(new IdentityTransformStream()) : await gunzipIfNeeded(body)
  return { body: inPieces(plain, max_bytes), headers: response.headers }
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

function watchStalls(body: ReadableStream<Uint8Array>) {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      let timer: ReturnType<typeof setTimeout> | undefined
      const stalled = new Promise<never>((_, reject) => {
        timer = setTimeout(
          () => reject(new SourceError(`The source fell silent for ${stallTimeout_ms / 1000} s`)),
          stallTimeout_ms,
        )
      })
      try {
        const { done, value } = await Promise.race([reader.read(), stalled])
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (error) {
        controller.error(
          error instanceof SourceError ? error : new SourceError(`The transfer broke off: ${text(error)}`),
        )
      } finally {
        clearTimeout(timer)
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

// A server may send a .gz file as gzip or as a gzip-encoded answer, which fetch has then unpacked already: look.
async function gunzipIfNeeded(body: ReadableStream<Uint8Array>) {
  const reader = body.getReader()
  const first = await reader.read()
  const whole = new ReadableStream<Uint8Array>({
    start: (controller) => {
      if (first.value) controller.enqueue(first.value)
      if (first.done) controller.close()
    },
    pull: async (controller) => {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  const isGzip = first.value?.[0] === 0x1f && first.value[1] === 0x8b
  return whole.pipeThrough(isGzip ? new DecompressionStream('gzip') : new IdentityTransformStream())
}

const pieceBytes = 262_144

// Unpacked data comes in small bits, each of which costs a turn: it is handed on in pieces of some size.
function inPieces(body: ReadableStream<Uint8Array>, max_bytes: number) {
  const reader = body.getReader({ mode: 'byob' })
  let bytes = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.readAtLeast(pieceBytes, new Uint8Array(pieceBytes * 2))
      bytes += value?.byteLength ?? 0
      if (bytes > max_bytes) throw new SourceError(`The source sent more than ${max_bytes} bytes`)
      if (value?.byteLength) controller.enqueue(value)
      if (done) controller.close()
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

// GitHub names the second at which a spent allowance is renewed.
function resetTime(headers: Headers) {
  const reset = headers.get('x-ratelimit-remaining') === '0' ? Number(headers.get('x-ratelimit-reset')) : 0
  return reset > 0 ? new Date(reset * 1000).toUTCString() : null
}

/** Seconds of a Retry-After header, which is a number or a date; null when there is none. */
export function retryAfter(value: string | null, now: Date) {
  if (!value) return null
  const seconds = /^\d+$/.test(value.trim()) ? Number(value) : Math.ceil((Date.parse(value) - now.getTime()) / 1000)
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 86_400) : null
}

const host = (url: string) => new URL(url).host
const text = (error: unknown) => (error instanceof Error ? error.message : String(error))
