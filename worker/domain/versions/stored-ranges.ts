import type { AffectedRange } from '../words/record'

/** Ranges as they are stored, in one column each: only we write them. */
export const unpackRanges = (json: string) => JSON.parse(json) as AffectedRange[]

/** The same text for the same ranges in whatever order their source lists them. */
export const sortRanges = (json: string) =>
  unpackRanges(json)
    .map((range) => JSON.stringify(range))
    .sort()
    .join()
