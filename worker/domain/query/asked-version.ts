/** A product as people name it with its version: `openssl 3.0.6`, `apache tomcat v9.0.30`, `exchange server 2019 CU14`. */
type AskedVersion = { name: string; version: string }

/**
 * The last word as the version of what stands before it, with an update behind it; undefined where it is none. A year alone
 * belongs to the name (`visual studio 2019`).
 */
export function parseAskedVersion(text: string): AskedVersion | undefined {
  const words = text.trim().slice(0, maxLength)
  const [update = ''] = updateAtEnd.exec(words) ?? []
  const plain = words.slice(0, words.length - update.length)
  const at = Math.max(plain.lastIndexOf(' '), plain.lastIndexOf('@'))
  const [name, number] = [plain.slice(0, at).trim(), plain.slice(at + 1).replace(/^v(?=\d)/i, '')]
  const isVersioned = isSpokenVersion(number) && (update !== '' || !isYear.test(number))
  return at > 0 && name.length > 1 && isVersioned ? { name, version: number + update } : undefined
}

/** Whether a text names one thing, which opens: "PH-12", "CVE-2014-0160", "GHSA-jfh8-c2jp-5v3q", a CPE name, a purl. */
export const isName = (term: string) => /^(PH-\d|cpe:|pkg:)/i.test(term) || /^[A-Za-z]+-[\w:.-]*\d[\w:.-]*$/.test(term)

const maxLength = 500
const updateAtEnd = / (?:service pack|cumulative update|sp|cu|update|beta|build|patch|rc) ?\d{1,6}$/i
const isSpokenVersion = (word: string) => /^\d[\w.+~:-]{0,60}$/.test(word)
const isYear = /^(?:19|20)\d\d$/
