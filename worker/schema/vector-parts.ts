import { sql } from 'drizzle-orm'
import { isOther, vectorCode } from './vector-codes'
import type { VectorField } from './vector-codes'

/** Parts that few vectors hold, the rarest first: each has an index of its own, so that a list of them passes by nothing else. */
const rareParts = {
  cvss_vector: ['Au:S', 'AV:L', 'A:C', 'AC:M'],
  cvss3_vector: ['AV:P', 'AV:A', 'A:L', 'PR:H', 'AC:H', 'S:C', '/C:N', 'AV:L', '/I:N', 'UI:R'],
}

/** What so few vectors hold that their numbers are looked up one by one. */
const rarestParts: Record<VectorField, string[]> = {
  cvss_vector: ['Au:M', 'AV:A', 'AC:H', 'I:C', 'C:C'],
  cvss3_vector: [],
}

export function isRarest(field: VectorField, text: string) {
  const part = text.replaceAll(/^\/|\/$/g, '').toLowerCase()
  return rarestParts[field].some((one) => one.toLowerCase() === part)
}

export const isVectorField = (field: string): field is VectorField => field in rareParts

const ofAny = (field: VectorField) => ({ index: `vulns_by_${field}`, where: sql.raw(`${field} is not null`) })
const ofPart = (field: VectorField, part: string) => ({
  index: `vulns_by_${field}_${part.replace(/\W/g, '').toLowerCase()}`,
  where: sql.raw(`instr(${field}, '${part}') > 0`),
})

/** Those that are more than their base metrics, or that have them in another order: by their texts. */
export const otherVectors = (field: VectorField) => ({
  index: `vulns_by_${field}_others`,
  key: sql.raw(field),
  where: isOther(field),
})

/** All of them, by what their base metrics say. */
export const codedVectors = (field: VectorField) => ({
  ...ofAny(field),
  index: `vulns_by_${field}_code`,
  key: vectorCode(field),
})

const vectorFields: VectorField[] = ['cvss_vector', 'cvss3_vector']

/** The indexes of vectors, each by the time at which its vulnerabilities were touched. */
export const vectorIndexes = vectorFields.flatMap((field) => [
  ofAny(field),
  ...rareParts[field].map((part) => ofPart(field, part)),
])
/** Those that have a list of their own for each key. */
export const keyedVectorIndexes = vectorFields.flatMap((field) => [codedVectors(field), otherVectors(field)])

/** The smallest of them that holds all whose vector has these texts in it. */
export function indexOfVectors(field: VectorField, texts: string[]) {
  const said = texts.join(' ').toLowerCase()
  const part = rareParts[field].find((one) => said.includes(one.toLowerCase()))
  return part === undefined ? ofAny(field) : ofPart(field, part)
}
