/**
 * A text is HTML only when it begins with a block, or breaks the line behind a sentence: "joining with <br> tags" and a lone `<script>`
 * are what the text is about.
 */
const isFormatted = /^\s*<(?:p|div|ul|ol)(?: [^<>]{0,200})?>|[.:;!?]\s?<br ?\/?>/i
const layoutTags = /<\/?(?:p|div|li|ul|ol|br|span|strong|em|b|i|code|pre)(?: [^<>]{0,200})?\/?>/gi

const entity = String.raw`&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));`
const entities = new RegExp(entity, 'gi')
/** A text that names entities by themselves is about them: "encoded tags such as &lt;", `a leading "&lt;&quot;&lt;"`. */
const namesEntities = /(?:^|[ \t"'`(])(?:&(?:#\d{1,7}|#x[\da-f]{1,6}|(?!amp;)[a-z]{2,6});){1,20}(?=[ \t"'`),.]|$)/i
const named = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: ' ',
    lsquo: '\u2018',
    rsquo: '\u2019',
    ldquo: '\u201c',
    rdquo: '\u201d',
    ndash: '\u2013',
    mdash: '\u2014',
    hellip: '\u2026',
  }),
)
/** Nobody writes a letter by its number but to show an attack: `java&#115;cript`. */
const isSpelledOut = (code: number) => (code >= 0xa0 && code <= 0x10_ff_ff) || [34, 38, 39, 60, 62].includes(code)

/** A source's text without its HTML. */
export function plainText(text: string) {
  if (!/[<&]/.test(text)) return text
  const bare = isFormatted.test(text) ? text.replace(layoutTags, ' ').replace(/ {2,}/g, ' ').trim() : text
  return namesEntities.test(bare) ? bare : bare.replace(entities, readEntity)
}

function readEntity(written: string, decimal?: string, hex?: string, name = '') {
  const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined
  if (code === undefined) return named.get(name.toLowerCase()) ?? written
  if (!isSpelledOut(code)) return written
  return code === 0xa0 ? ' ' : String.fromCodePoint(code).toWellFormed()
}

/** The title on its own, and what the summary says beyond it. */
export function splitTitle({ title, summary }: { title: string | null; summary: string }) {
  const head = title ?? ''
  const rest = summary.startsWith(head) ? summary.slice(head.length).trimStart() : summary
  return { title: head, rest: /[\p{L}\p{N}]/u.test(rest) ? rest : '' }
}
