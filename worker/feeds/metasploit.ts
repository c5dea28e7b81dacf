import { commitWhole, WholeCursor } from './commit-whole'
import { listReader, recordsOf } from './exploit-records'
import type { Feed } from './feed'
import { SourceError } from './fetch-source'
import { fromMetasploit, MetasploitModule } from './metasploit-record'
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
    const { listed, skipped } = readModules(await new Response(list.body).text())
    return commitWhole(run, 'metasploit', { origin, version, records: recordsOf(listed), skipped }, cursor)
  },
}

/** The modules of the file, an object by `<type>_<name>`. Throws when it is another file. */
export function readModules(text: string) {
  const modules = Object.entries(parse(text))
  if (!modules.length) throw new SourceError('The file holds no modules')

  const reader = listReader(MetasploitModule, fromMetasploit)
  // A module is kept under its CVE, so that what was known of it stays.
  for (const [key, module] of modules) reader.add(/CVE-\d{4}-\d{4,19}/.exec(JSON.stringify(module))?.[0] ?? key, module)
  return reader
}

function parse(text: string): object {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new SourceError('The file is not valid JSON')
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new SourceError('The file is not an object of modules')
  return json
}
