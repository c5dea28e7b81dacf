import type { WholeCursor } from './commit-whole'
import { openSource } from '../read/fetch-source'
import { SourceError } from '../read/source-error'

type List =
  | { kind: 'unchanged'; cursor: WholeCursor }
  | { kind: 'read'; version: string; body: ReadableStream<Uint8Array> }

/** Skips a list that its origin calls unchanged. */
export async function openList(origin: string, cursor: WholeCursor | null, max_bytes: number): Promise<List> {
  const source = await openSource(origin, { max_bytes })
  if (!source) throw new SourceError(`No such file: ${origin}`)

  const { body, headers } = source
  const version = headers.get('etag') ?? headers.get('last-modified') ?? ''
  if (!version || cursor?.origin !== origin || cursor.version !== version) return { kind: 'read', version, body }
  await body.cancel()
  return { kind: 'unchanged', cursor }
}
