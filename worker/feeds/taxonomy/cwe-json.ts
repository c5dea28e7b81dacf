import { BrokenJson, jsonElements } from '../read/json-elements'
import { SourceError } from '../read/source-error'
import type { Catalogue } from './cwe-record'
import { readXhtml } from './cwe-text'

/** The JSON has XHTML texts and no version. */
export async function readCweJson(body: ReadableStream<Uint8Array>): Promise<Catalogue> {
  const items: Catalogue['items'] = []
  try {
    for await (const text of jsonElements(body, 'weaknesses', 'categories')) items.push(readItem(text))
  } catch (error) {
    if (error instanceof BrokenJson || error instanceof SyntaxError)
      throw new SourceError('The file is not the catalogue of CWE, or is cut off')
    throw error
  }
  return { version: '', items }
}

// Keeps only the parts that we use, because all items are in memory. A category has a summary instead of a description.
function readItem(text: string): Record<string, unknown> {
  const item = JSON.parse(text) as Record<string, unknown>
  const { id, name, abstraction, status, description, likelihood_of_exploit, related_weaknesses } = item
  const isCategory = 'summary' in item
  return {
    id,
    name,
    status,
    likelihood_of_exploit,
    related_weaknesses,
    abstraction: isCategory ? 'Category' : abstraction,
    description: readText(isCategory ? item['summary'] : description),
    extended_description: readText(item['extended_description']),
  }
}

const readText = (text: unknown) => (typeof text === 'string' ? readXhtml(text) : text)
