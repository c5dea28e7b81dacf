import type { WholeCursor } from './commit-whole'
import { openChanged, readVersion } from '../read/fetch-source'
import { SourceError } from '../read/source-error'
import type { FeedPlace, Watched } from './feed'

type List =
  | { kind: 'unchanged'; cursor: WholeCursor }
  | { kind: 'read'; version: string; body: ReadableStream<Uint8Array> }

/** Skips a list that its origin calls unchanged. */
export async function openList(origin: string, cursor: WholeCursor | null, max_bytes: number): Promise<List> {
  const known = cursor?.origin === origin ? cursor : null
  const source = await openChanged(origin, known?.version ?? '', { max_bytes })
  if (!source) throw new SourceError(`No such file: ${origin}`)
  if (source !== 'unchanged') return { kind: 'read', version: readVersion(source.headers), body: source.body }
  return { kind: 'unchanged', cursor: { origin, version: known?.version ?? '' } }
}

/** The address of a list that was read whole; null while it is being read. */
export const watchList = (cursor: WholeCursor, { origin }: FeedPlace): Watched[] | null =>
  cursor.origin !== origin || cursor.reading ? null : [{ url: origin, version: cursor.version }]
