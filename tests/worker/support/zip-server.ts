/** Answers a file as a server that knows ranges, or one that does not. */
export function serveFile(bytes: Uint8Array, init: RequestInit | undefined, { hasRanges = true, etag = '"1"' } = {}) {
  const range = /^bytes=(\d+)-(\d+)$/.exec(new Headers(init?.headers).get('range') ?? '')
  if (!hasRanges || !range) return new Response(bytes.slice(), { headers: { etag } })
  const [from, to] = [Number(range[1]), Math.min(Number(range[2]) + 1, bytes.length)]
  const headers = { etag, 'content-range': `bytes ${from}-${to - 1}/${bytes.length}` }
  return new Response(bytes.slice(from, to), { status: 206, headers })
}
