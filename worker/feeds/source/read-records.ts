import type * as z from 'zod'
import { errorText } from '../../db/error-text'
import type { VulnRecord } from '../../domain/words/record'
import { SourceError } from '../read/source-error'

export type Skip = { record_id: string; reason: string; body: string }

const keptBody = 20_000

export const newSkip = (record_id: string, reason: string, body = ''): Skip => ({
  record_id,
  reason,
  body: body.slice(0, keptBody),
})

export const describeIssue = ({ issues: [issue] }: z.ZodError, other = 'not a record') =>
  issue ? `${issue.path.join('.')}: ${issue.message}` : other

/** Undefined where the text is no JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const brokenJson = 'not valid JSON'

export type TextRead<Ours> = { record: Ours } | { skip: Skip }

/** `id` is that of a text that cannot be read; `envelope` takes the record out of what stands around it. */
export function readRecord<Item, Ours>(
  text: string,
  schema: z.ZodType<Item>,
  toRecord: (item: Item) => Ours,
  {
    id = idIn(text),
    envelope = (json) => json,
  }: { id?: string | undefined; envelope?: (json: unknown) => unknown } = {},
): TextRead<Ours> {
  const json = jsonIn(text)
  if (json === undefined) return { skip: newSkip(id, brokenJson, text) }
  const { data, error } = schema.safeParse(envelope(json))
  if (error) return { skip: newSkip(id, describeIssue(error), text) }
  try {
    return { record: toRecord(data) }
  } catch (thrown) {
    return { skip: newSkip(id, errorText(thrown), text) }
  }
}

const idIn = (text: string) => /CVE-\d{4}-\d{4,}/.exec(text)?.[0] ?? text.slice(0, 60)

/** Reads all texts; `end` is what stood around them. */
export async function readEach<Ours>(
  texts: AsyncGenerator<string, unknown>,
  read: (text: string) => TextRead<Ours>,
  { max, what = 'entries' }: { max: number; what?: string } = { max: Infinity },
) {
  const [records, skipped]: [Ours[], Skip[]] = [[], []]
  for (;;) {
    const { done, value } = await texts.next()
    if (done) return { records, skipped, end: value }
    const one = read(value)
    if ('record' in one) records.push(one.record)
    else skipped.push(one.skip)
    if (records.length + skipped.length <= max) continue
    await texts.return(undefined)
    throw new SourceError(`More than ${max} ${what}`)
  }
}

/** One that is listed twice counts as it is listed first. */
export const keepFirst = (records: VulnRecord[]) => [
  ...new Map(records.toReversed().map((record) => [record.cveid, record])).values(),
]
