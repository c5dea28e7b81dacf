const maxLength = 3_000
/** The most that sections about what to do may take of it, and how far we look for them. */
const maxAdvice = 1_200
const maxRead = 100_000

const maxTitle = 256

/** A title as one line, empty where it only repeats `summary` or is a bare id. */
export function readTitle(text: string, summary: string) {
  const title = text
    .slice(0, maxRead)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_C}\s]+/gu, ' ')
    .trim()
  return title === summary.trim() || !title.includes(' ') ? '' : cutAt(title, maxTitle)
}

/** Title and details, cut in the middle where they are long: advice stands at the end, behind code that shows the flaw. */
export function advisoryText(title: string, details: string) {
  const text = joinTitle(title.trim(), details.trim())
  if (text.length <= maxLength) return text
  const advice = cutAt(findAdvice(text.slice(0, maxRead)), maxAdvice)
  const start = cutAt(text, maxLength - advice.length)
  return advice ? `${start}\n\n${advice}` : start
}

function joinTitle(title: string, details: string) {
  if (!details) return title
  return !title || details.startsWith(title) ? details : `${title}\n\n${details}`
}

const cutAt = (text: string, length: number) =>
  text.length <= length ? text : `${text.slice(0, length).replace(/\s+\S*$/, '')} …`

const heading = /^#{1,6} /
const adviceHeading = /^#{1,6} .*(?:patch|fix|workaround|mitigat|remediat|recommend|solution|resolution|upgrade)/i

/** The sections of Markdown about what to do that end behind the cut. */
function findAdvice(text: string) {
  const sections: { at: number; lines: string[] }[] = []
  let at = 0
  for (const line of text.split('\n')) {
    if (heading.test(line)) sections.push({ at, lines: [] })
    sections.at(-1)?.lines.push(line)
    at += line.length + 1
  }
  const advice = sections
    .map(({ at: from, lines }) => ({ words: lines.join('\n').trim(), end: from + lines.join('\n').length }))
    .filter(({ words, end }) => adviceHeading.test(words) && end > maxLength - maxAdvice)
  const length = Math.min(
    maxAdvice,
    advice.reduce((sum, { words }) => sum + words.length, 0),
  )
  // Advice in the beginning need not stand twice.
  return advice
    .filter(({ end }) => end > maxLength - length)
    .map(({ words }) => words)
    .join('\n\n')
}
