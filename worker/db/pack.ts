import { Buffer } from 'node:buffer'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** Dictionary that a text was packed with, 0 for none; a text that was not packed begins with a bracket. */
type Dictionary = { version: number; bytes: Uint8Array }

/** The texts are small: preparing tables and buffers of the default size would cost more than the packing. */
const small = { memLevel: 5, windowBits: 13, chunkSize: 2_048 }

const utf8 = new TextDecoder()
const brackets = [0x7b, 0x5b]

/** At most a third of the JSON's size; in hex, for SQL's unhex(). */
export function pack(json: string, dictionary?: Dictionary) {
  const { buffer, byteOffset, byteLength } = deflateRawSync(json, {
    ...small,
    ...(dictionary && { dictionary: dictionary.bytes }),
  })
  const version = (dictionary?.version ?? 0).toString(16).padStart(2, '0')
  return version + Buffer.from(buffer, byteOffset, byteLength).toString('hex')
}

const unpacking = (dictionary?: Dictionary) => ({
  chunkSize: small.chunkSize,
  ...(dictionary && { dictionary: dictionary.bytes }),
})

/** Takes hex(), because D1 hands bytes over as a list of numbers. */
export function unpack(hex: string, dictionary?: Dictionary): unknown {
  const bytes: Uint8Array = Buffer.from(hex, 'hex')
  const isPlain = brackets.includes(bytes[0] ?? 0)
  const json = isPlain ? bytes : inflateRawSync(bytes.subarray(1), unpacking(dictionary))
  return JSON.parse(utf8.decode(json))
}
