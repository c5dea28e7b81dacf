import { z } from 'zod'
import type { Catalogue } from './cwe-record'
import { plainText } from './cwe-text'
import { SourceError } from '../read/source-error'

const items = z.array(z.record(z.string(), z.unknown()))
const Edition = z.object({ weaknesses: items, categories: items.default([]) })

/** Reads the JSON edition of CWE; its texts are XHTML, and it does not say its version. */
export function readCweJson(json: Uint8Array): Catalogue {
  const { weaknesses, categories } = parse(new TextDecoder().decode(json))
  return { version: '', items: [...weaknesses, ...categories.map(asWeakness)].map(inPlainText) }
}

function parse(text: string) {
  try {
    return Edition.parse(JSON.parse(text))
  } catch {
    throw new SourceError('The file is not the catalogue of CWE, or is cut off')
  }
}

const asWeakness = ({ summary, ...category }: Record<string, unknown>) => ({
  ...category,
  abstraction: 'Category',
  description: summary,
})

const inPlainText = ({ description, extended_description, ...item }: Record<string, unknown>) => ({
  ...item,
  description: plainTextOf(description),
  extended_description: plainTextOf(extended_description),
})

const plainTextOf = (text: unknown) => (typeof text === 'string' ? plainText(text) : text)
