const maxLength = 3_000

/** What an advisory says of itself: its title, then its text unless that is the title again, cut after a word. */
export function advisoryText(title: string, details: string) {
  const [head, body] = [title.trim(), details.trim()]
  const text = !head || body.startsWith(head) ? body || head : body ? `${head}\n\n${body}` : head
  if (text.length <= maxLength) return text
  return `${text.slice(0, maxLength).replace(/\s+\S*$/, '')} …`
}
