import type { VulnRecord } from '../../domain/words/record'
import { jsonElements } from '../read/json-elements'
import { zipTexts, type Choice, type RemoteZip, type ZipPlace } from '../read/remote-zip'
import type { TextRead, Skip } from './read-records'

/** Records per write: in larger chunks each record costs fewer pages, syncs and queries. */
export const chunkRecords = 2_000
export const listChunkRecords = 1_000
/** Letters of the texts of a chunk: our records of them must fit into memory. */
const chunkLetters = 10_000_000

export type RecordRead = TextRead<VulnRecord | VulnRecord[]>
export type RecordChunk = { records: VulnRecord[]; skipped: Skip[]; read: number }

function fillChunks() {
  const empty = (): RecordChunk => ({ records: [], skipped: [], read: 0 })
  let [chunk, letters] = [empty(), 0]
  return {
    add(one: RecordRead, length: number) {
      chunk.read++
      letters += length
      if ('skip' in one) chunk.skipped.push(one.skip)
      else if (Array.isArray(one.record)) chunk.records.push(...one.record)
      else chunk.records.push(one.record)
    },
    /** An entry without anything to read. */
    pass: () => void chunk.read++,
    isFull: () => chunk.records.length + chunk.skipped.length >= chunkRecords || letters >= chunkLetters,
    isEmpty: () => chunk.read === 0,
    take() {
      const full = chunk
      ;[chunk, letters] = [empty(), 0]
      return full
    },
  }
}

type Reading = Choice & { read(name: string, text: string, mark: string): RecordRead }

const cveIn = (name: string) => /CVE-\d{4}-\d{4,19}/.exec(name)?.[0]

export async function* zipChunks(
  zip: RemoteZip,
  from: ZipPlace,
  { read, ...choice }: Reading,
): AsyncGenerator<RecordChunk & { place: ZipPlace }> {
  const chunks = fillChunks()
  let place = from
  for await (const { name, text, problem, mark, place: here } of zipTexts(zip, from, choice)) {
    place = here
    if (problem) chunks.add({ skip: { record_id: cveIn(name) ?? name, reason: problem, body: '' } }, 0)
    else if (text === null) chunks.pass()
    else chunks.add(read(name, text, mark), text.length)
    if (chunks.isFull()) yield { ...chunks.take(), place }
  }
  if (!chunks.isEmpty()) yield { ...chunks.take(), place }
}

/** Of the array of a document behind its first records; `envelope` comes with the last chunk, which may be empty. */
export async function* elementChunks(
  body: ReadableStream<Uint8Array>,
  key: string,
  { from, read }: { from: number; read: (text: string) => RecordRead },
): AsyncGenerator<RecordChunk & { at: number; envelope?: unknown }> {
  const elements = jsonElements(body, key)
  const chunks = fillChunks()
  try {
    for (let at = 1; ; at++) {
      const { done, value } = await elements.next()
      if (done) return yield { ...chunks.take(), at: at - 1, envelope: value }
      if (at <= from) continue
      chunks.add(read(value), value.length)
      if (chunks.isFull()) yield { ...chunks.take(), at }
    }
  } finally {
    await elements.return(undefined)
  }
}
