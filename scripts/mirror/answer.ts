import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'

/** Files that the origin answers with a 404; NVD puts the reason into a header. */
export class Missing extends Error {}

export function sendFailure(response: ServerResponse, error: unknown) {
  if (response.headersSent) return response.destroy()
  const message = error instanceof Error ? error.message : String(error)
  const status = error instanceof Missing ? 404 : 500
  if (status === 500) console.error(`mirror: ${message}`)
  // A header takes Latin-1 only, and a file name may hold anything.
  response.writeHead(status, { 'content-type': 'application/json', message: message.replace(/[^ -~]/g, '?') })
  return response.end(JSON.stringify({ message }))
}

/** `body` may be JSON as it is written. */
export const sendJson = (response: ServerResponse, body: unknown) =>
  send(response, 'application/json', Buffer.isBuffer(body) ? body : JSON.stringify(body))

export const sendText = (response: ServerResponse, body: string) => send(response, 'text/plain', body)

const send = (response: ServerResponse, type: string, body: string | Buffer) =>
  response.writeHead(200, { 'content-type': type }).end(body)

type Served = { path: string; type: string }

export async function sendFile(request: IncomingMessage, response: ServerResponse, { path, type }: Served) {
  const { size, mtime } = await stat(path)
  const etag = `"${size.toString(16)}-${mtime.getTime().toString(16)}"`
  const headers = { etag, 'last-modified': mtime.toUTCString() }
  if (isKnown(request, etag, mtime)) return response.writeHead(304, headers).end()

  const part = parseRange(request, size)
  const length = part ? part.end - part.start + 1 : size
  const range = part && { 'content-range': `bytes ${part.start}-${part.end}/${size}` }
  const about = { 'accept-ranges': 'bytes', 'content-length': length, ...range }
  response.writeHead(part ? 206 : 200, { ...headers, 'content-type': type, ...about })
  if (request.method === 'HEAD') return response.end()
  // No further than was told: the file may grow meanwhile.
  return pipeline(createReadStream(path, part ?? { end: Math.max(size - 1, 0) }), response)
}

// The one kind of range that is asked for: "bytes=0-65535".
function parseRange({ headers }: IncomingMessage, size: number) {
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
  if (start === undefined || Number(start) >= size) return null
  return { start: Number(start), end: Math.min(Number(end), size - 1) }
}

function isKnown({ headers }: IncomingMessage, etag: string, mtime: Date) {
  const known = headers['if-none-match']
  if (known) return known.split(/\s*,\s*/).some((tag) => tag.replace(/^W\//, '') === etag)
  const since = headers['if-modified-since']
  return since !== undefined && Date.parse(since) >= Math.floor(mtime.getTime() / 1000) * 1000
}
