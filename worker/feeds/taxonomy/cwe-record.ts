import * as z from 'zod'
import { BrokenJson, jsonElements } from '../read/json-elements'
import { SourceError } from '../read/source-error'
import { describeIssue, newSkip, type Skip } from '../source/read-records'
import { readXhtml } from './cwe-text'

const Prose = z.string().default('')
const number = z.coerce.number<string | number>().int().positive()

/** A weakness of CWE, from its XML or JSON, with plain texts (CWE schema 7.2, WeaknessType). */
const WeaknessItem = z.object({
  id: number,
  name: z.string().min(1),
  abstraction: z.string(),
  status: z.string().optional(),
  description: Prose,
  extended_description: Prose,
  likelihood_of_exploit: z.string().optional(),
  related_weaknesses: z.array(z.object({ nature: z.string(), cweid: number })).default([]),
})

export type Catalogue = { version: string; items: Record<string, unknown>[] }

/** Answers unreadable items, too. Categories count as weaknesses, because NVD uses them so. */
export function weaknessRows(items: Catalogue['items']) {
  const rows: unknown[][] = []
  const skipped: Skip[] = []
  const unread: number[] = []
  for (const item of items) {
    const parsed = WeaknessItem.safeParse(item)
    if (parsed.success) rows.push(toRow(parsed.data))
    else {
      const reason = describeIssue(parsed.error, 'not a weakness')
      skipped.push(newSkip(`CWE-${String(item['id'])}`, reason, JSON.stringify(item)))
      if (Number(item['id'])) unread.push(Number(item['id']))
    }
  }
  return { rows, skipped, unread }
}

function toRow(item: z.output<typeof WeaknessItem>) {
  const { id, name, description, extended_description, abstraction, status, likelihood_of_exploit } = item
  // The catalogue repeats a relation for each view.
  const related = new Map(item.related_weaknesses.map(({ nature, cweid }) => [`${nature} ${cweid}`, [nature, cweid]]))
  return [
    id,
    name,
    [description, extended_description].filter(Boolean).join('\n'),
    abstraction,
    status ?? null,
    likelihood_of_exploit ?? null,
    JSON.stringify([...related.values()]),
  ]
}

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
