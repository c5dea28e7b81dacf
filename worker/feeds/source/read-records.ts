import type * as z from 'zod'
import { errorText } from '../../db/error-text'
import type { VulnRecord } from '../../domain/words/record'
import type { Skip } from './skip'

const keptBody = 20_000

export function readRecord<Item, Ours extends VulnRecord | VulnRecord[]>(
  text: string,
  envelope: (json: unknown) => unknown,
  schema: z.ZodType<Item>,
  toRecord: (item: Item) => Ours,
): { record: Ours } | { skip: Skip } {
  const refused = (record_id: string, reason: string) => ({
    skip: { record_id, reason, body: text.slice(0, keptBody) },
  })
  let item: unknown
  try {
    item = envelope(JSON.parse(text))
  } catch {
    return refused(idIn(text), brokenJson)
  }
  const parsed = schema.safeParse(item)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return refused(idIn(text), issue ? `${issue.path.join('.')}: ${issue.message}` : 'not a record')
  }
  try {
    return { record: toRecord(parsed.data) }
  } catch (error) {
    return refused(idIn(text), errorText(error))
  }
}

export const brokenJson = 'not valid JSON'

const idIn = (text: string) => /CVE-\d{4}-\d{4,}/.exec(text)?.[0] ?? text.slice(0, 60)
