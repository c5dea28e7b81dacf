import type { AffectedRange } from '../words/record'

/** Ranges as they are stored, in one column each: only we write them. */
export const unpackRanges = (json: string) => JSON.parse(json) as AffectedRange[]
