import * as z from 'zod'
import type { Skip } from '../source/skip'
import { jsonElements } from '../read/json-elements'

export async function readAttackPatterns<Pattern>(body: ReadableStream<Uint8Array>, schema: z.ZodType<Pattern>) {
  const patterns: Pattern[] = []
  const skipped: Skip[] = []
  for await (const text of jsonElements(body, 'objects')) {
    // Saves parsing the other objects.
    if (!text.includes('"attack-pattern"')) continue
    const parsed = parse(text, schema)
    if (parsed?.success) patterns.push(parsed.data)
    else if (parsed)
      skipped.push({ record_id: idIn(text), reason: formatReason(parsed.error), body: text.slice(0, 20_000) })
  }
  return { patterns, skipped }
}

function parse<Pattern>(text: string, schema: z.ZodType<Pattern>) {
  const json = parseJson(text)
  const isOther = z.object({ type: z.string() }).safeParse(json).data?.type !== 'attack-pattern'
  return json !== undefined && isOther ? undefined : schema.safeParse(json)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const idIn = (text: string) => /"(CAPEC-\d+|T\d{4}(\.\d{3})?)"/.exec(text)?.[1] ?? text.slice(0, 60)
const formatReason = ({ issues: [issue] }: z.ZodError) =>
  issue ? `${issue.path.join('.')}: ${issue.message}`.replace(/^: /, '') : 'not an attack-pattern'
