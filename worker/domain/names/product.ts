import spellings from './spellings.json' with { type: 'json' }

/** A product as it is named to people: its own name alone may be that of many vendors' products. */
export const productLabel = (vendor: string, name: string) => `${readableName(vendor)} · ${readableName(name)}`
/** The same for any watched item. The "vendor" of a package is its type, and its name keeps the spelling of its ecosystem. */
export function itemName({ via, vendor, name }: { via: string; vendor: string | null; name: string }) {
  if (vendor === null) return via === 'vendor' ? readableName(name) : name
  return via === 'product' ? productLabel(vendor, name) : `${vendor} · ${name}`
}
/** Of an item its own name alone, where there is little room. */
export const shortName = ({ via, name }: { via: string; name: string }) =>
  via === 'product' || via === 'vendor' ? readableName(name) : name
/** The names as they are stored, searched and exported. */
export const rawProduct = (vendor: string, name: string) => `${vendor}:${name}`

/** Spellings of the makers that the rules below would miss. */
const written = new Map(
  [...spellings.words.join(' ').split(' '), ...spellings.joined].map((name) => [
    name.toLowerCase().replaceAll(' ', ''),
    name,
  ]),
)
const small = new Set(['a', 'an', 'and', 'by', 'for', 'from', 'in', 'of', 'on', 'or', 'the', 'to', 'with'])

/** The tidy form of a vendor's or product's name as CPE writes it: `windows_server_2008` is "Windows Server 2008". */
export function readableName(name: string) {
  // A name with capitals or spaces was written for people.
  if (/[\p{Lu}\s]/u.test(name)) return name
  return name
    .split('_')
    .filter(Boolean)
    .map((word, at) => (at > 0 && small.has(word) ? word : readableWord(word)))
    .join(' ')
    .replace(/^iOS (?=X[ER]\b)/, 'IOS ')
}

const readableWord = (word: string) => (word.endsWith(',') ? `${readableBare(word.slice(0, -1))},` : readableBare(word))

function readableBare(word: string) {
  const known = written.get(word)
  if (known !== undefined) return known
  // A version, and the processors that Intel writes so.
  if (/^v?\d[\d.]*$/.test(word)) return word
  if (/^i[3579]-/.test(word)) return `i${word.slice(1).toUpperCase()}`
  const parts = word.split('-')
  const isModel = parts.length > 1 && parts.some((part) => /\d/.test(part) && isAbbreviation(part))
  return parts.map((part) => (isModel && part.length <= 8 ? part.toUpperCase() : readablePart(part))).join('-')
}

const readablePart = (part: string) =>
  written.get(part) ?? (isAbbreviation(part) ? part.toUpperCase() : part.charAt(0).toUpperCase() + part.slice(1))

/** `dns`, `r2`, `22h2` and `wvr4300l` are no words; `edge` and `log4j` are. */
function isAbbreviation(part: string) {
  const letters = part.replace(/[^a-z]/g, '').length
  return (letters <= 3 && /\d/.test(part)) || (letters <= 4 && !/[aeiouy]/.test(part))
}
