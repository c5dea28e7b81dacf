import { commitWhole, WholeCursor } from './commit-whole'
import { listReader, recordsOf } from './exploit-records'
import type { Feed } from './feed'
import { SourceError } from './fetch-source'
import { openList } from './open-list'
import { fromPoc, PocEntry } from './poc-record'
import { streamedEntries } from './zip-stream'

const maxBytes = 500_000_000
const filePattern = /^[^/]+\/\d{4}\/([^/]+)\.json$/

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
    const { listed, skipped } = await readRepositories(list.body)
    return commitWhole(run, 'poc', { origin, version, records: recordsOf(listed), skipped }, cursor)
  },
}

/** `<archive>/2021/CVE-2021-44228.json`, each an array of repositories. Throws when there are none. */
export async function readRepositories(body: ReadableStream<Uint8Array>) {
  const reader = listReader(PocEntry, fromPoc)
  for await (const { name, text } of streamedEntries(body, (path) => filePattern.test(path))) {
    if (text === null) continue
    const cveid = filePattern.exec(name)?.[1] ?? name
    const repositories = parse(text)
    if (!repositories) reader.refuse(cveid, 'not a list of repositories', text)
    for (const repository of repositories ?? []) reader.add(cveid, { cveid, repository })
  }
  if (!reader.listed.length) throw new SourceError('The archive holds no repositories')
  return reader
}

function parse(text: string): unknown[] | null {
  try {
    const json: unknown = JSON.parse(text)
    return Array.isArray(json) ? json : null
  } catch {
    return null
  }
}
