/** A document that cannot be read: where it is wrong (a line, or a path of its members), and why. */
export class BadDocument extends Error {
  readonly place: string
  readonly reason: string

  constructor(place: string, reason: string) {
    super(place ? `${place}: ${reason}` : reason)
    this.place = place
    this.reason = reason
  }
}

/** The place of a character: `line 3, column 14`. */
export function describePosition(text: string, at: number) {
  let line = 1
  let start = 0
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', end + 1)) {
    line++
    start = end + 1
  }
  return `line ${line}, column ${at - start + 1}`
}
