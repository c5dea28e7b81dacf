import * as z from 'zod'
import { zipChunks } from '../source/chunk'
import { defineFeed } from '../source/feed'
import { SourceError } from '../read/source-error'
import { fromOverride, Override } from './overrides-record'
import { readRecord } from '../source/read-records'
import { openRemoteZip, zipNames, zipStart } from '../read/remote-zip'
import { findWithdrawn } from '../source/whole-list'

/** Keeps a step within 10 s of CPU. */
const stepRecords = 16_000
const filePattern = /(?:^|\/)data\/\d{4}\/(CVE-\d{4}-\d{4,})\.json$/
const parseId = (name: string) => filePattern.exec(name)?.[1]

const OverridesCursor = z.object({
  origin: z.string(),
  /** Of the archive that is in; empty before the first is. */
  version: z.string(),
  reading: z.object({ version: z.string(), place: z.object({ entries: z.int(), byte: z.int() }) }).nullable(),
})
type OverridesCursor = z.output<typeof OverridesCursor>

export const overrides = defineFeed({
  id: 'overrides',
  name: 'NVD overrides',
  every_minutes: 360,
  quiet_days: 60,
  origin: 'https://codeload.github.com/anchore/nvd-data-overrides/zip/refs/heads/main',
  topics: ['cpes'],
  reading: 1,
  cursor: OverridesCursor,
  async step(run, cursor) {
    const { origin } = run
    const known = cursor?.origin === origin ? cursor : { origin, version: '', reading: null }
    const zip = await openRemoteZip(origin)
    if (!zip) throw new SourceError(`No such file: ${origin}`)
    const { version } = zip
    if (version && known.version === version) return { cursor: known, done: true }

    const is_backfill = known.version === ''
    const from = known.reading?.version === version ? known.reading.place : zipStart
    let [read, here] = [0, known]
    for await (const { place, ...chunk } of zipChunks(zip, from, {
      isWanted: (name) => !!parseId(name),
      read: readOne,
    })) {
      read += chunk.read
      here = { ...known, reading: { version, place } }
      await run.commit('overrides', { ...chunk, is_backfill }, here)
      if (read >= stepRecords) return { cursor: here, done: false }
    }

    const listed = new Set<string>()
    for await (const name of zipNames(zip)) listed.add(parseId(name) ?? '')
    if (listed.size < 2) throw new SourceError('The archive holds no overrides')
    const withdrawn = await findWithdrawn(run.db, 'overrides', ({ cveid }) => listed.has(cveid))
    const end = { origin, version, reading: null }
    await run.commit('overrides', { records: [], withdrawn, read: 0, is_backfill }, end)
    return { cursor: end, done: true }
  },
})

const readOne = (name: string, text: string) => readRecord(text, Override, fromOverride, { id: parseId(name) ?? name })
