/** Joins the first `max` parts and says how many others there are, so that nothing is cut in silence. */
export function joinSome(parts: string[], max: number, separator = ', ') {
  const shown = parts.slice(0, max).join(separator)
  return parts.length > max ? `${shown} and ${parts.length - max} more` : shown
}

export const someLines = (lines: string[], max: number) =>
  lines.length > max ? [...lines.slice(0, max), `and ${lines.length - max} more`] : lines

/** At most `limit` UTF-16 units, the last one "…" where the text is cut. Half of a sign of two units is no text, which a receiver may refuse. */
export const cutText = (text: string, limit: number) =>
  text.length > limit
    ? `${text
        .slice(0, limit - 1)
        .replace(/[\ud800-\udbff]$/, '')
        .trimEnd()}…`
    : text
