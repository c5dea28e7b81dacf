export const cpeParts = ['a', 'o', 'h'] as const
export type CpePart = (typeof cpeParts)[number]

/**
 * A product name of NISTIR 7695: application (a), operating system (o) or hardware (h). Values are lower case and
 * unescaped; ANY is '*' and NA is '-'. A backslash stays only where its absence would change the meaning: `\*`, `\?`
 * and `\\` are these literal characters, as a bare '*' or '?' is a wildcard, and a value that is just a hyphen is `\-`.
 */
export type Cpe = {
  part: CpePart
  vendor: string
  product: string
  version: string
  update: string
  edition: string
  language: string
  sw_edition: string
  target_sw: string
  target_hw: string
  other: string
}

const formattedPrefix = 'cpe:2.3:'
const uriPrefix = 'cpe:/'
const any = '*'
const attributeCount = 11
const uriComponentCount = 7
const tailCount = 8
/** The longest name of the feeds has 134 characters. */
const maxLength = 2_000

/** ANY in all attributes; other names overwrite those that they state. */
export const anyName: Omit<Cpe, 'part'> = {
  vendor: any,
  product: any,
  version: any,
  update: any,
  edition: any,
  language: any,
  sw_edition: any,
  target_sw: any,
  target_hw: any,
  other: any,
}

/**
 * Reads a CPE 2.3 formatted string or a CPE 2.2 URI, with or without a packed edition, in any case. Null for any other text, a wrong
 * number of attributes, an empty one, a part other than a, o, h, or more than 2,000 characters. Source: NISTIR 7695, sections 6.1
 * (URI) and 6.2 (formatted string).
 */
export function parseCpe(text: string): Cpe | null {
  if (text.length > maxLength) return null
  const name = text.trim().toLowerCase()
  if (name.startsWith(formattedPrefix)) return parseFormatted(name.slice(formattedPrefix.length))
  if (name.startsWith(uriPrefix)) return parseUri(name.slice(uriPrefix.length))
  return null
}

/** The CPE 2.3 formatted string of a name; `parseCpe` reads it back unchanged (NISTIR 7695, section 6.2). */
export const formatCpe = (cpe: Cpe) => cpeFromTail(cpe.vendor, cpe.product, cpeTail(cpe))

/**
 * All of a name but vendor and product, without the ANYs at the end: `cpe:2.3:a:v:p:1.0.1:beta1:*:*:*:*:*:*` gives `a:1.0.1:beta1`.
 * Our own form, made for storage.
 */
export function cpeTail(cpe: Cpe) {
  const { version, update, edition, language, sw_edition, target_sw, target_hw, other } = cpe
  const values = [version, update, edition, language, sw_edition, target_sw, target_hw, other]
  let length = values.length
  while (length > 0 && values[length - 1] === any) length--

  let tail: string = cpe.part
  for (const value of values.slice(0, length)) tail += `:${escaped(value)}`
  return tail
}

/** The attributes of what `cpeTail` made, from the version on, with values as in `Cpe`; those that it leaves out are ANY. */
export function parseTail(tail: string): Tail {
  const known = knownTails.get(tail)
  if (known) return known
  if (knownTails.size >= maxKnownTails) knownTails.clear()
  const [, version = any, update = any, ...others] = splitUnescaped(tail)
  const parsed = { version: unescaped(version), update: unescaped(update), others: others.map(unescaped) }
  knownTails.set(tail, parsed)
  return parsed
}
type Tail = { version: string; update: string; others: readonly string[] }
/** Each version of a product asks for the same tails. */
const knownTails = new Map<string, Tail>()
const maxKnownTails = 20_000

/** The version of a name with its update, as people write both; null where it names none. */
export function versionInCpe({ version, update }: Cpe) {
  if (version === any || version === '-') return null
  return update === any || update === '-' ? version : `${version} ${update}`
}

/** NVD's text for a product without a version: `-`, or `- sp1` for Windows 7 SP1; null for any other name. */
export function versionlessInCpe({ version, update }: Cpe) {
  if (version !== '-') return null
  return update === any || update === '-' ? '-' : `- ${update}`
}

/** The CPE 2.3 formatted string of a vendor and a product (values as in `Cpe`) and what `cpeTail` made. */
export function cpeFromTail(vendor: string, product: string, tail: string) {
  const [part, ...values] = splitUnescaped(tail)
  const missing = `:${any}`.repeat(Math.max(0, tailCount - values.length))
  return `${formattedPrefix}${[part, escaped(vendor), escaped(product), ...values].join(':')}${missing}`
}

/** `15.3\(3\)m2` is `15.3(3)m2`. NVD and CISA write the bounds of ranges so, too. Source: NISTIR 7695, section 6.2. */
export const unescapeVersion = (text: string) => text.trim().replace(/\\(?=[^\w\s])/g, '')

function parseFormatted(attributes: string) {
  const values = splitUnescaped(attributes)
  if (values.length !== attributeCount || values.includes('')) return null
  return fromValues(attributes.includes('\\') ? values.map(unescaped) : values)
}

function parseUri(components: string) {
  const values = components.split(':')
  if (values.length > uriComponentCount) return null

  const [part, vendor, product, version, update, edition = '', language] = values
  const packed = edition.startsWith('~') ? edition.slice(1).split('~') : [edition]
  const [packedEdition, sw_edition, target_sw, target_hw, other] = packed
  const bound = [vendor, product, version, update, packedEdition, language, sw_edition, target_sw, target_hw, other]
  return fromValues([part ?? '', ...bound.map(decoded)])
}

function fromValues(values: string[]): Cpe | null {
  const [part, vendor = any, product = any, version = any, update = any, edition = any, language = any] = values
  const [sw_edition = any, target_sw = any, target_hw = any, other = any] = values.slice(7)
  if (part !== 'a' && part !== 'o' && part !== 'h') return null
  return { part, vendor, product, version, update, edition, language, sw_edition, target_sw, target_hw, other }
}

function splitUnescaped(text: string) {
  if (!text.includes('\\')) return text.split(':')

  const pieces: string[] = []
  let start = 0
  for (let at = 0; at <= text.length; at++) {
    if (text[at] === '\\') {
      at++
    } else if (text[at] === ':' || at === text.length) {
      pieces.push(text.slice(start, at))
      start = at + 1
    }
  }
  return pieces
}

function unescaped(value: string) {
  if (value === '\\-' || !value.includes('\\')) return value
  return value.replace(/\\([^*?\\])|\\./g, (pair, character?: string) => character ?? pair)
}

const escaped = (value: string) => (/^[\w.*-]*$/.test(value) ? value : value.replace(/[!-)+,/:->@[\]^`{-~]/g, '\\$&'))

// In a URI an empty component is ANY, %01 and %02 are the wildcards, and any other code is a literal character.
function decoded(component = '') {
  if (component === '') return any
  if (component === '%2d') return '\\-'
  return component.replaceAll('\\', '\\\\').replace(/%([0-7][\da-f])/g, (_, code: string) => {
    if (code === '01') return '?'
    if (code === '02') return '*'
    const character = String.fromCharCode(Number.parseInt(code, 16))
    return '*?\\'.includes(character) ? `\\${character}` : character
  })
}
