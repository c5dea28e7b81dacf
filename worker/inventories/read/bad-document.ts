export class BadDocument extends Error {
  readonly place: string
  readonly reason: string

  constructor(place: string, reason: string) {
    super(place ? `${place}: ${reason}` : reason)
    this.place = place
    this.reason = reason
  }
}

export function describePosition(text: string, at: number) {
  let line = 1
  let start = 0
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', end + 1)) {
    line++
    start = end + 1
  }
  return `line ${line}, column ${at - start + 1}`
}
