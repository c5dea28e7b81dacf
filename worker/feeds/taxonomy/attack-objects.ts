import * as z from 'zod'
import { jsonElements } from '../read/json-elements'
import { parseJson, readRecord } from '../source/read-records'
import type { Skip } from '../source/read-records'

export async function readAttackPatterns<Pattern>(body: ReadableStream<Uint8Array>, schema: z.ZodType<Pattern>) {
  const patterns: Pattern[] = []
  const skipped: Skip[] = []
  for await (const text of jsonElements(body, 'objects')) {
    // Saves parsing the other objects.
    if (!text.includes('"attack-pattern"') || isOther(text)) continue
    const one = readRecord(text, schema, (pattern) => pattern, { id: idIn(text) })
    if ('record' in one) patterns.push(one.record)
    else skipped.push({ ...one.skip, reason: one.skip.reason.replace(/^: /, '') })
  }
  return { patterns, skipped }
}

function isOther(text: string) {
  const json = parseJson(text)
  return json !== undefined && z.object({ type: z.string() }).safeParse(json).data?.type !== 'attack-pattern'
}

const idIn = (text: string) => /"(CAPEC-\d+|T\d{4}(\.\d{3})?)"/.exec(text)?.[1] ?? text.slice(0, 60)
