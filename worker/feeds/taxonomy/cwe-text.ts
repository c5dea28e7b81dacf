import { SaxesParser } from 'saxes'

const blocks = new Set(['p', 'div', 'ul', 'ol', 'li', 'br', 'table', 'tr'])

export function textLines() {
  let text = ''
  return {
    open(name: string) {
      const tag = localName(name)
      if (blocks.has(tag)) text += tag === 'li' ? '\n- ' : '\n'
    },
    // A source wraps its lines anywhere.
    text: (more: string) => (text += more.replace(/\s+/g, ' ')),
    close(name: string) {
      if (blocks.has(localName(name))) text += '\n'
    },
    end: () =>
      text
        .split('\n')
        .map((line) => line.replace(/\s+/g, ' ').trim())
        .filter((line) => line && line !== '-')
        .join('\n'),
  }
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1)

/** Some of MITRE's descriptions are XHTML; others hold a bare `<` and are plain text. */
export function readXhtml(description: string): string {
  const lines = textLines()
  const parser = new SaxesParser({ fragment: true })
  parser.on('opentag', ({ name }) => lines.open(name))
  parser.on('text', (text) => lines.text(text))
  parser.on('closetag', ({ name }) => lines.close(name))
  try {
    parser.write(description).close()
  } catch {
    return description.trim()
  }
  return lines.end()
}
