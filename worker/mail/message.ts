export type Message = {
  to: string
  from: string
  subject: string
  html: string
  text: string
  /** Stable for a delivery, so that a mail sent twice by a broken connection is one to a mail reader. */
  message_id: string
  headers: Record<string, string>
}

export function parseAddress(text: string): { name: string; email: string } {
  const match = /^\s*(.*?)\s*<([^<>\s]+)>\s*$/.exec(text)
  return match ? { name: match[1] ?? '', email: match[2] ?? '' } : { name: '', email: text.trim() }
}

/** The UTF-8 bytes that fit into an encoded word of 75 characters. */
const wordBytes = 45

/** A record or a name may hold line ends, which would begin another header. */
export const oneLineSubject = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()

/** RFC 2047: other letters stand in encoded words, each on a line of its own, because lines are limited. */
export function encodeSubject(text: string) {
  const line = oneLineSubject(text)
  if (/^[\x20-\x7e]*$/.test(line) && !line.includes('=?')) return line
  const words = ['']
  for (const sign of line) {
    const next = `${words.at(-1) ?? ''}${sign}`
    if (Buffer.byteLength(next) > wordBytes) words.push(sign)
    else words[words.length - 1] = next
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join('\r\n ')
}
