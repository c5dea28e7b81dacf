import * as z from 'zod'
import { describeIssue, newSkip } from '../source/read-records'
import type { Skip } from '../source/read-records'

const text = z.string().default('')
const number = z.coerce.number<string | number>().int().positive()

/** A weakness of CWE, from its XML or JSON, with plain texts (CWE schema 7.2, WeaknessType). */
const WeaknessItem = z.object({
  id: number,
  name: z.string().min(1),
  abstraction: z.string(),
  status: z.string().optional(),
  description: text,
  extended_description: text,
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
