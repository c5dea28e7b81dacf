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
