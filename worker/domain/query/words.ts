const maxWords = 20

/** The words of a text: runs of letters and digits, as the full-text index cuts them. */
export const splitWords = (text: string) => text.split(/[^\p{L}\p{N}]+/u).filter(Boolean)

/** Words that stand side by side, as an FTS5 phrase; null for a text without any. */
export function ftsPhrase(text: string): string | null {
  const words = splitWords(text).slice(0, maxWords)
  return words.length ? `"${words.join(' ')}"` : null
}
