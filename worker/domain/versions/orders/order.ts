/** One way to order versions: the meaning of a text, or null if it is no version of this kind, and which meaning is lower. */
export type Order<Parsed> = {
  parse: (text: string) => Parsed | null
  /** Below zero, zero or above; null where even this order cannot say. */
  compare: (a: Parsed, b: Parsed) => number | null
}

/** The first difference between two lists, place by place up to the end of the longer one; 0 where there is none. */
export function compareEach<Item>(
  a: readonly Item[],
  b: readonly Item[],
  compare: (one: Item | undefined, other: Item | undefined, at: number) => number,
) {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const difference = compare(a[at], b[at], at)
    if (difference) return difference
  }
  return 0
}

/** Numbers of any length as their digits: `007` equals `7`, and 20 digits are compared to the last. */
export function compareDigits(a: string, b: string) {
  const [left, right] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')]
  return left.length - right.length || compareText(left, right)
}

/** Below 0, 0 or above 0, by code units: no language has a say. */
export const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
