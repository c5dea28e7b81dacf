/** Joins the first `max` parts and says how many others there are, so that nothing is cut in silence. */
export function joinSome(parts: string[], max: number, separator = ', ') {
  const shown = parts.slice(0, max).join(separator)
  return parts.length > max ? `${shown} and ${parts.length - max} more` : shown
}

export const someLines = (lines: string[], max: number) =>
  lines.length > max ? [...lines.slice(0, max), `and ${lines.length - max} more`] : lines
