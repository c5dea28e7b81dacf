import { createHash } from 'node:crypto'

/** The answer of a server that gives each file an ETag, and "not modified" to whoever has it. */
export async function versioned(request: Request, response: Response | null) {
  if (!response?.ok || response.headers.has('etag')) return response
  const bytes = await response.arrayBuffer()
  const headers = new Headers(response.headers)
  headers.set('etag', `"${createHash('sha256').update(new Uint8Array(bytes)).digest('hex')}"`)
  const isSame = request.headers.get('if-none-match') === headers.get('etag')
  return isSame ? new Response(null, { status: 304, headers }) : new Response(bytes, { headers })
}
