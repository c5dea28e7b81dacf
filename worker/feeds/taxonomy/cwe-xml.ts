import { errorText } from '../../db/error-text'
import { SaxesParser } from 'saxes'
import type { Catalogue } from './cwe-record'
import { textLines } from './cwe-text'
import { SourceError } from '../read/source-error'
import { openFirst } from '../read/zip-stream'

/** Texts of a weakness or a category, by their element. */
const texts = new Map([
  ['Description', 'description'],
  ['Extended_Description', 'extended_description'],
  ['Summary', 'description'],
  ['Likelihood_Of_Exploit', 'likelihood_of_exploit'],
])

/** The XML, which has 16 MB today. */
const maxXml = 50_000_000

export async function readCweZip(zip: ReadableStream<Uint8Array>): Promise<Catalogue> {
  const { name, body } = await openFirst(zip, maxXml)
  if (!name.endsWith('.xml')) throw new SourceError('The archive of CWE holds no XML')
  const reader = cweReader()
  const decoder = new TextDecoder()
  try {
    for await (const piece of body) reader.write(decoder.decode(piece, { stream: true }))
    reader.write(decoder.decode())
    return reader.end()
  } catch (error) {
    throw new SourceError(`The archive of CWE cannot be read: ${errorText(error)}`)
  }
}

function cweReader() {
  const catalogue: Catalogue = { version: '', items: [] }
  const parser = new SaxesParser()
  const path: string[] = []
  let item: Record<string, unknown> & { related_weaknesses: unknown[] } = { related_weaknesses: [] }
  let lines: ReturnType<typeof textLines> | undefined

  parser.on('opentag', ({ name, attributes }) => {
    path.push(name)
    if (name === 'Weakness_Catalog') catalogue.version = attributes['Version'] ?? ''
    else if (path.length === 3 && (name === 'Weakness' || name === 'Category')) {
      const { ID: id, Name, Abstraction: abstraction = name, Status: status } = attributes
      item = { id, name: Name, abstraction, status, related_weaknesses: [] }
      catalogue.items.push(item)
    } else if (name === 'Related_Weakness')
      item.related_weaknesses.push({ nature: attributes['Nature'], cweid: attributes['CWE_ID'] })
    else if (path.length === 4 && texts.has(name)) lines = textLines()
    else lines?.open(name)
  })
  parser.on('text', (text) => lines?.text(text))
  parser.on('cdata', (text) => lines?.text(text))
  parser.on('closetag', ({ name }) => {
    const field = path.length === 4 ? texts.get(name) : undefined
    if (lines && field) {
      item[field] = lines.end()
      lines = undefined
    } else lines?.close(name)
    path.pop()
  })
  return {
    write: (text: string) => void parser.write(text),
    end() {
      parser.close()
      return catalogue
    },
  }
}
