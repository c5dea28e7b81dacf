const maxLength = 3_000

export function advisoryText(title: string, details: string) {
  const [head, body] = [title.trim(), details.trim()]
  const text = !head || body.startsWith(head) ? body || head : body ? `${head}\n\n${body}` : head
  if (text.length <= maxLength) return text
  return `${text.slice(0, maxLength).replace(/\s+\S*$/, '')} …`
}
