import { SaxesParser } from 'saxes'
import { BadDocument } from './bad-document'

/** `place` is where it begins; `depth` counts the elements that it stands in, itself included. */
export type XmlElement = { name: string; attributes: Map<string, string>; place: string; depth: number }

type Handlers = {
  open?: (element: XmlElement, path: string[]) => void
  /** `content` is the element's own text. */
  close: (element: XmlElement, path: string[], content: string) => void
}

const maxDepth = 500
const maxAttributes = 1_000
const chunk = 65_536

/** Refuses a document type: its entities may unfold to gigabytes or read files, and no document of ours needs one. */
export function* readXml(text: string, { open, close }: Handlers): Generator<number, void> {
  const parser = new SaxesParser()
  const elements: { element: XmlElement; content: string }[] = []
  const path: string[] = []
  const place = () => `line ${parser.line}, column ${parser.column}`

  parser.on('error', (error) => {
    throw new BadDocument(place(), `Not XML: ${error.message.replace(/^\d+:\d+: /, '')}`)
  })
  parser.on('doctype', () => {
    throw new BadDocument(place(), 'A document type is not accepted')
  })
  let attributesHere = 0
  parser.on('attribute', () => {
    if (++attributesHere > maxAttributes)
      throw new BadDocument(place(), `An element has more than ${maxAttributes.toLocaleString('en')} attributes`)
  })
  parser.on('opentag', ({ name, attributes }) => {
    attributesHere = 0
    path.push(localName(name))
    if (path.length > maxDepth) throw new BadDocument(place(), `Elements are nested deeper than ${maxDepth}`)
    const prefix = name.includes(':') ? `:${name.slice(0, name.indexOf(':'))}` : ''
    const known = new Map(Object.entries(attributes))
    const namespace = known.get(`xmlns${prefix}`)
    if (namespace !== undefined) known.set('xmlns', namespace)
    const element = { name: localName(name), attributes: known, place: place(), depth: path.length }
    elements.push({ element, content: '' })
    open?.(element, path)
  })
  const addText = (more: string) => {
    const last = elements.at(-1)
    if (last) last.content += more
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => {
    const last = elements.pop()
    if (last) close(last.element, path, last.content.trim())
    path.pop()
  })
  for (let at = 0; at < text.length; at += chunk) {
    parser.write(text.slice(at, at + chunk))
    yield chunk
  }
  parser.close()
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1)
