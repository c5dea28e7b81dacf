/** A place may hold a name that the document made up, of whatever length. */
const maxPlace = 300

export class BadDocument extends Error {
  readonly place: string
  readonly reason: string

  constructor(place: string, reason: string) {
    const shown = place.length > maxPlace ? `${place.slice(0, maxPlace)}…` : place
    super(shown ? `${shown}: ${reason}` : reason)
    this.place = shown
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
