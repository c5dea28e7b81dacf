import { Buffer } from 'node:buffer'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { VulnRecord } from '../domain/record'
import { recordDictionary } from './record-dictionary'

/** Which dictionary a body was packed with; another one gets another number, as bodies with this one stay. */
const dictionaryVersion = 1
const utf8 = new TextDecoder()
const dictionary = new TextEncoder().encode(recordDictionary)

/** The JSON of a record as it is stored, in hex, for SQL's unhex(): about 0.4 of its size once it is bytes. */
export function packBody(json: string) {
  const { buffer, byteOffset, byteLength } = deflateRawSync(json, { dictionary })
  return `0${dictionaryVersion}${Buffer.from(buffer, byteOffset, byteLength).toString('hex')}`
}

/** A record from its stored body: bytes, or their hex() when they were read in bulk. Text of an older database is JSON. */
export function unpackBody(body: Uint8Array | string): VulnRecord {
  const bytes: Uint8Array = typeof body === 'string' ? Buffer.from(body, 'hex') : body
  const isPacked = bytes[0] === dictionaryVersion
  const json = isPacked ? inflateRawSync(bytes.subarray(1), { dictionary }) : bytes
  return JSON.parse(utf8.decode(json)) as VulnRecord
}
