/** Each word is quoted, so that none is an operator; the last may be half typed. Null when there is no word. */
export function ftsWords(text: string): string | null {
  const words = tellingWords(text)
  if (!words.length) return null
  return words.map((word, at) => `"${word}"${at === words.length - 1 && word.length > 2 ? '*' : ''}`).join(' ')
}

/** Leaves out words that tell nothing, unless there are no others. */
export function tellingWords(text: string): string[] {
  const all = text.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  const telling = all.filter((word) => !fillers.has(word.toLowerCase()))
  return (telling.length ? telling : all).slice(0, maxWords)
}

export function ftsParts(text: string): string | null {
  const parts = text
    .replaceAll('\u0000', '')
    .split(/\s+/)
    .filter((part) => [...part].length >= 3)
    .slice(0, maxWords)
  return parts.length ? parts.map((part) => `"${part.replaceAll('"', '""')}"`).join(' ') : null
}

/** Stands among the keywords of what is in KEV, so that these are found among the hits of a common word. */
export const kevWord = 'cisakev'

const maxWords = 20
/** Nearly every text has them: beside others they find nothing, and are long to read. */
const fillers = new Set('a an and by for from in of on or the to via with'.split(' '))
