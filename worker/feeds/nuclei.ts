import { commitWhole, WholeCursor } from './commit-whole'
import { recordsOf } from './exploit-records'
import type { Feed } from './feed'
import { readNuclei } from './nuclei-record'
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
    const { listed, skipped } = await readNuclei(list.body)
    return commitWhole(run, 'nuclei', { origin, version, records: recordsOf(listed), skipped }, cursor)
  },
}
