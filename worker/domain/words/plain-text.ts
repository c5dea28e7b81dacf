/** A text is taken as HTML only when it ends a block: a lone `<script>` or `<b>` is what the text is about. */
const isFormatted = /<\/(?:p|div|li|ul|ol)>|<br ?\/?>/i
const layoutTags = /<\/?(?:p|div|li|ul|ol|br|span|strong|em|b|i|code|pre)(?: [^<>]{0,200})?\/?>/gi
const entities = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
])
const maxCodePoint = 0x10_ff_ff

/** What a source's text says, without the HTML that it was written in. */
export function plainText(text: string) {
  const bare = isFormatted.test(text) ? text.replace(layoutTags, ' ').replace(/ {2,}/g, ' ').trim() : text
  return bare.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,5}));/gi, readEntity)
}

function readEntity(written: string, decimal?: string, hex?: string, name = '') {
  const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined
  if (code === undefined) return entities.get(name.toLowerCase()) ?? written
  return code > 0 && code <= maxCodePoint ? String.fromCodePoint(code) : written
}

/** The title on its own, and what the summary says beyond it. */
export function splitTitle({ title, summary }: { title: string | null; summary: string }) {
  const [head, text] = [plainText(title ?? ''), plainText(summary)]
  return { title: head, rest: text.startsWith(head) ? text.slice(head.length).trimStart() : text }
}
