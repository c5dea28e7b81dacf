import { giveWayAt } from '../db/give-way'
import type { VulnRecord } from '../domain/record'
import { isFullChunk } from './chunk'
import type { Skip } from './skip'
import { zipTexts } from './remote-zip'
import type { RemoteZip, ZipPlace } from './remote-zip'

export type ZipRead = { records: VulnRecord[] } | { skip: Skip }
export type ZipChunk = { records: VulnRecord[]; skipped: Skip[]; read: number; place: ZipPlace }

type Reading = { isWanted(name: string): boolean; read(name: string, text: string): ZipRead }

/** The records of an archive that holds a file each, from a place on, with the place after each chunk. */
export async function* zipChunks(
  zip: RemoteZip,
  from: ZipPlace,
  { isWanted, read }: Reading,
): AsyncGenerator<ZipChunk> {
  let chunk: ZipChunk = { records: [], skipped: [], read: 0, place: from }
  let letters = 0
  for await (const { name, text, place } of zipTexts(zip, from, isWanted)) {
    await giveWayAt(chunk.read)
    const one = read(name, text)
    if ('records' in one) chunk.records.push(...one.records)
    else chunk.skipped.push(one.skip)
    chunk.read++
    chunk.place = place
    letters += text.length
    if (!isFullChunk(chunk.read, letters)) continue
    yield chunk
    letters = 0
    chunk = { records: [], skipped: [], read: 0, place }
  }
  if (chunk.read) yield chunk
}
