import { commitWhole, WholeCursor } from './commit-whole'
import { recordsOf } from './exploit-records'
import type { Feed } from './feed'
import { openList } from './open-list'
import { isPocFile, readPoc } from './poc-record'
import { streamedEntries } from './zip-stream'

const maxBytes = 500_000_000

/** Repositories of proofs of concept: the archive of a repository that holds a JSON file each CVE. */
export const poc: Feed<WholeCursor> = {
  name: 'PoC-in-GitHub',
  every_minutes: 240,
  origin: ({ POC_URL = '' }) => POC_URL,
  cursor: WholeCursor,
  async step(run, cursor) {
    const origin = poc.origin(run.env)
    const list = await openList(origin, cursor, maxBytes)
    if (list.kind === 'unchanged') return { cursor: list.cursor, done: true }

    const { version } = list
    const { listed, skipped } = await readPoc(streamedEntries(list.body, isPocFile))
    return commitWhole(run, 'poc', { origin, version, records: recordsOf(listed), skipped }, cursor)
  },
}
