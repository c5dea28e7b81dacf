import type { AffectedRange, CpeRange, VersionRange } from '../words/record'

/** A stored range is a number, whose bits say what it has, and then the values of these, in this order. */
const valueBits = { lt: 1, le: 2, ge: 4, gt: 8, cpe: 16, is: 128, on: 256, order: 512 } as const
const statusBits = { unknown: 32, unaffected: 64 } as const satisfies Record<
  NonNullable<VersionRange['status']>,
  number
>
const markBits = {
  is_fix_unstated: 1024,
  is_by_summary: 2048,
  is_guess: 4096,
  is_disputed: 8192,
} as const satisfies Record<Exclude<keyof VersionRange, keyof typeof valueBits | 'status'>, number>
export const rangeBits = { ...valueBits, ...statusBits, ...markBits }

type Stored = string | [bits: number, ...values: string[]]
/** The order of most stands nowhere. */
const usualOrder = 'loose'

/**
 * Ranges as they are stored, in one column, by us alone. Neighbouring names of exact versions are one text, `a:1.0|1.1`; a bar that
 * belongs to a name is escaped.
 */
export function packRanges(ranges: AffectedRange[]) {
  const stored: Stored[] = []
  let open = ''
  for (const range of ranges) {
    const part = typeof range === 'string' && isJoinable.test(range) ? range.slice(0, 2) : ''
    if (part && part === open) stored.push(`${String(stored.pop())}|${(range as string).slice(2)}`)
    else stored.push(typeof range === 'string' ? range : packRange(range))
    open = part
  }
  return JSON.stringify(stored)
}
const isJoinable = /^.:[^*|-][^|]*(?<!\\)$/

function packRange(range: CpeRange | VersionRange): Stored {
  const { status, ...given }: Partial<CpeRange & VersionRange> = range
  if (given.order === usualOrder) delete given.order
  let bits = status ? statusBits[status] : 0
  const values: string[] = []
  for (const key of valueKeys) {
    const value = given[key]
    if (value === undefined) continue
    bits |= valueBits[key]
    values.push(value)
  }
  for (const key of markKeys) if (given[key]) bits |= markBits[key]
  return [bits, ...values]
}
const valueKeys = Object.keys(valueBits) as (keyof typeof valueBits)[]
const markKeys = Object.keys(markBits) as (keyof typeof markBits)[]

/** Older rows hold the ranges as they are read. */
export const unpackRanges = (json: string) => (JSON.parse(json) as (Stored | AffectedRange)[]).flatMap(unpackRange)

function unpackRange(stored: Stored | AffectedRange): AffectedRange | AffectedRange[] {
  if (typeof stored === 'string') return stored.includes('|') ? toNames(stored) : stored
  if (!Array.isArray(stored)) return stored
  const [bits, ...values] = stored
  const range: Record<string, string | true> = bits & valueBits.cpe ? {} : { order: usualOrder }
  let at = 0
  for (const key of valueKeys) if (bits & valueBits[key]) range[key] = values[at++] ?? ''
  if (bits & statusBits.unknown) range.status = 'unknown'
  if (bits & statusBits.unaffected) range.status = 'unaffected'
  for (const key of markKeys) if (bits & markBits[key]) range[key] = true
  return range as AffectedRange
}

const toNames = (joined: string) => joined.split(/(?<!\\)\|/).map((name, at) => (at ? joined.slice(0, 2) + name : name))

/** The same text for the same ranges in whatever order their source lists them. */
export const sortRanges = (json: string) =>
  unpackRanges(json)
    .map((range) => JSON.stringify(typeof range === 'string' ? range : packRange(range)))
    .sort()
    .join()
