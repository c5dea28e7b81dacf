import { commitWhole, WholeCursor } from './commit-whole'
import { listReader, recordsOf } from './exploit-records'
import type { Feed } from './feed'
import { SourceError } from './fetch-source'
import { lines } from './lines'
import { fromNuclei, NucleiTemplate } from './nuclei-record'
import { openList } from './open-list'

const maxBytes = 50_000_000

/** The templates of Nuclei that look for a CVE: JSON Lines. */
export const nuclei: Feed<WholeCursor> = {
  name: 'Nuclei',
  every_minutes: 240,
  origin: ({ NUCLEI_URL = '' }) => NUCLEI_URL,
  cursor: WholeCursor,
  async step(run, cursor) {
    const origin = nuclei.origin(run.env)
    const list = await openList(origin, cursor, maxBytes)
    if (list.kind === 'unchanged') return { cursor: list.cursor, done: true }

    const { version } = list
    const { listed, skipped } = await readTemplates(list.body)
    return commitWhole(run, 'nuclei', { origin, version, records: recordsOf(listed), skipped }, cursor)
  },
}

/** The templates of the file; a line that is none is kept under the CVE it names. Throws when none is one. */
export async function readTemplates(body: ReadableStream<Uint8Array>) {
  const reader = listReader(NucleiTemplate, fromNuclei)
  let at = 0
  for await (const line of lines(body)) {
    at++
    if (!line.trim()) continue
    const id = /CVE-\d{4}-\d{4,19}/.exec(line)?.[0] ?? `line ${at}`
    try {
      reader.add(id, JSON.parse(line))
    } catch {
      reader.refuse(id, 'not valid JSON', line)
    }
  }
  if (!reader.listed.length) throw new SourceError('The file holds no templates')
  return reader
}
