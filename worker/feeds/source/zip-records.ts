import type { VulnRecord } from '../../domain/words/record'
import { isFullChunk } from './chunk'
import type { Skip } from './skip'
import { zipTexts } from '../read/remote-zip'
import type { Choice, RemoteZip, ZipPlace } from '../read/remote-zip'

export type ZipRead = { records: VulnRecord[] } | { skip: Skip }
type ZipChunk = { records: VulnRecord[]; skipped: Skip[]; read: number; place: ZipPlace }

type Reading = Choice & { read(name: string, text: string, mark: string): ZipRead }

const cveIn = (name: string) => /CVE-\d{4}-\d{4,19}/.exec(name)?.[0]

export async function* zipChunks(
  zip: RemoteZip,
  from: ZipPlace,
  { read, ...choice }: Reading,
): AsyncGenerator<ZipChunk> {
  let chunk: ZipChunk = { records: [], skipped: [], read: 0, place: from }
  let letters = 0
  for await (const { name, text, problem, mark, place } of zipTexts(zip, from, choice)) {
    chunk.read++
    chunk.place = place
    if (problem) chunk.skipped.push({ record_id: cveIn(name) ?? name, reason: problem, body: '' })
    if (text === null) continue
    const one = read(name, text, mark)
    if ('records' in one) chunk.records.push(...one.records)
    else chunk.skipped.push(one.skip)
    letters += text.length
    if (!isFullChunk(chunk.records.length + chunk.skipped.length, letters)) continue
    yield chunk
    letters = 0
    chunk = { records: [], skipped: [], read: 0, place }
  }
  if (chunk.read) yield chunk
}
