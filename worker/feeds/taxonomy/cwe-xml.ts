import { Unzip, UnzipInflate } from 'fflate'
import { errorText } from '../../db/error-text'
import { SaxesParser } from 'saxes'
import type { Catalogue } from './cwe-record'
import { textLines } from './cwe-text'
import { SourceError } from '../read/source-error'

/** Texts of a weakness or a category, by their element. */
const texts = new Map([
  ['Description', 'description'],
  ['Extended_Description', 'extended_description'],
  ['Summary', 'description'],
  ['Likelihood_Of_Exploit', 'likelihood_of_exploit'],
])

export async function readCweZip(zip: ReadableStream<Uint8Array>): Promise<Catalogue> {
  const reader = cweReader()
  const decoder = new TextDecoder()
  let isWhole = false
  const archive = new Unzip((file) => {
    if (!file.name.endsWith('.xml')) return
    file.ondata = (error, piece, isLast) => {
      if (error) throw error
      reader.write(decoder.decode(piece, { stream: !isLast }))
      isWhole ||= isLast
    }
    file.start()
  })
  archive.register(UnzipInflate)
  try {
    for await (const piece of zip) archive.push(piece)
    archive.push(new Uint8Array(), true)
  } catch (error) {
    throw new SourceError(`The archive of CWE cannot be read: ${errorText(error)}`)
  }
  if (!isWhole) throw new SourceError('The archive of CWE is cut off or holds no XML')
  return reader.end()
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
