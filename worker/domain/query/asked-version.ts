/** A product as people name it with its version: `openssl 3.0.6`, `apache tomcat v9.0.30`, `lodash@4.17.20`. */
export type AskedVersion = { name: string; version: string }

/**
 * The last word as the version of what stands before it; undefined where it is none. A year alone belongs to the name
 * (`visual studio 2019`).
 */
export function parseAskedVersion(text: string): AskedVersion | undefined {
  const words = text.trim()
  const at = Math.max(words.lastIndexOf(' '), words.lastIndexOf('@'))
  const [name, version] = [words.slice(0, at).trim(), words.slice(at + 1).replace(/^v(?=\d)/i, '')]
  return at > 0 && name.length > 1 && isSpokenVersion(version) ? { name, version } : undefined
}

const isSpokenVersion = (word: string) => /^\d[\w.+~:-]{0,60}$/.test(word) && !/^(19|20)\d\d$/.test(word)
