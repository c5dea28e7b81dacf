export function joinBytes(...parts: Uint8Array[]): Uint8Array {
  const filled = parts.filter(({ length }) => length > 0)
  if (filled.length === 1 && filled[0]) return filled[0]
  const bytes = new Uint8Array(filled.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of filled) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
