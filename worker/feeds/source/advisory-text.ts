const maxLength = 3_000

export function advisoryText(title: string, details: string) {
  const text = joinTitle(title.trim(), details.trim())
  if (text.length <= maxLength) return text
  return `${text.slice(0, maxLength).replace(/\s+\S*$/, '')} …`
}

function joinTitle(title: string, details: string) {
  if (!details) return title
  return !title || details.startsWith(title) ? details : `${title}\n\n${details}`
}
