/** One way to order versions: the meaning of a text, or null if it is no version of this kind, and which meaning is lower. */
export type Order<Parsed> = {
  parse: (text: string) => Parsed | null
  /** Below zero, zero or above; null where even this order cannot say. */
  compare: (a: Parsed, b: Parsed) => number | null
}

/** Numbers of any length as their digits: `007` equals `7`, and 20 digits are compared to the last. */
export function compareDigits(a: string, b: string) {
  const [left, right] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')]
  return left.length - right.length || compareText(left, right)
}

/** Below 0, 0 or above 0, by code units: no language has a say. */
export const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
