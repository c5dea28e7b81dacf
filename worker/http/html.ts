import { html as write } from 'hono/html'

const tight = new WeakMap<TemplateStringsArray, TemplateStringsArray>()

/** Without the indentation of our templates, a tenth of a page and a sixth of a long report: mail programs cut off what is beyond 100 kB. */
export function html(strings: TemplateStringsArray, ...values: unknown[]) {
  let parts = tight.get(strings)
  if (!parts) {
    parts = Object.assign(
      strings.map((part) => part.replace(/\s*\n\s*/g, '\n')),
      { raw: strings.raw },
    )
    tight.set(strings, parts)
  }
  return write(parts, ...values)
}
