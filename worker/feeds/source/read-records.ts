import type * as z from 'zod'
import { errorText } from '../../db/error-text'
import type { VulnRecord } from '../../domain/words/record'
import type { Skip } from './skip'

const keptBody = 20_000

const refused = (text: string, reason: string) => ({
  skip: { record_id: idIn(text), reason, body: text.slice(0, keptBody) },
})

export function readItem<Item>(
  text: string,
  schema: z.ZodType<Item>,
  envelope = (json: unknown) => json,
): { item: Item } | { skip: Skip } {
  let item: unknown
  try {
    item = envelope(JSON.parse(text))
  } catch {
    return refused(text, brokenJson)
  }
  const parsed = schema.safeParse(item)
  if (parsed.success) return { item: parsed.data }
  const [issue] = parsed.error.issues
  return refused(text, issue ? `${issue.path.join('.')}: ${issue.message}` : 'not a record')
}

export function readRecord<Item, Ours extends VulnRecord | VulnRecord[]>(
  text: string,
  envelope: (json: unknown) => unknown,
  schema: z.ZodType<Item>,
  toRecord: (item: Item) => Ours,
): { record: Ours } | { skip: Skip } {
  const read = readItem(text, schema, envelope)
  if ('skip' in read) return read
  try {
    return { record: toRecord(read.item) }
  } catch (error) {
    return refused(text, errorText(error))
  }
}

export const brokenJson = 'not valid JSON'

const idIn = (text: string) => /CVE-\d{4}-\d{4,}/.exec(text)?.[0] ?? text.slice(0, 60)
