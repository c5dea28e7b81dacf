import { commitWhole, WholeCursor } from './commit-whole'
import { recordsOf } from './exploit-records'
import type { Feed } from './feed'
import { readMetasploit } from './metasploit-record'
import { openList } from './open-list'

const maxBytes = 100_000_000

/** The modules of Metasploit that name a CVE. */
export const metasploit: Feed<WholeCursor> = {
  name: 'Metasploit',
  every_minutes: 240,
  origin: ({ METASPLOIT_URL = '' }) => METASPLOIT_URL,
  cursor: WholeCursor,
  async step(run, cursor) {
    const origin = metasploit.origin(run.env)
    const list = await openList(origin, cursor, maxBytes)
    if (list.kind === 'unchanged') return { cursor: list.cursor, done: true }

    const { version } = list
    const { listed, skipped } = readMetasploit(await new Response(list.body).text())
    return commitWhole(run, 'metasploit', { origin, version, records: recordsOf(listed), skipped }, cursor)
  },
}
