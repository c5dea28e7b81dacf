import fc from 'fast-check'
import * as z from 'zod'
import type { Schema } from '../../../worker/http/endpoint'

type JsonSchema = z.core.JSONSchema.JSONSchema
/** The material of requests: ids of existing rows, texts, and values by the name of a field. */
export type RequestWords = { ids: number[]; texts: string[]; named: Record<string, unknown> }
export type Fields = Record<string, unknown>

const few = 4

/** Requests of somebody who read the schema: with some of the optional fields. */
export function likelyFields(schema: Schema, words: RequestWords): fc.Arbitrary<Fields> {
  if (!schema) return fc.constant({})
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return likely(json, words) as fc.Arbitrary<Fields>
}

function likely(schema: JsonSchema, words: RequestWords): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return fc.oneof(...parts(alternatives).map((one) => likely(one, words)))
  if (schema.type === 'object') return likelyObject(schema, words)
  if (schema.type === 'array') {
    const item = parts([schema.items]).map((one) => likely(one, words))[0] ?? fc.constantFrom(...words.texts)
    return fc.array(item, { minLength: schema.minItems ?? 0, maxLength: few })
  }
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'null') return fc.constant(null)
  if (schema.type === 'integer' || schema.type === 'number') return likelyNumber(schema, words)
  return likelyText(schema, words)
}

function likelyText({ pattern }: JsonSchema, { texts }: RequestWords) {
  const fitting = pattern ? texts.filter((text) => new RegExp(pattern, 'u').test(text)) : texts
  return fc.constantFrom(...(fitting.length ? fitting : texts))
}

function likelyObject({ properties = {}, required = [] }: JsonSchema, words: RequestWords) {
  const optional = Object.keys(properties).filter((name) => !required.includes(name))
  return fc
    .subarray(optional, { maxLength: Math.min(few, optional.length) })
    .chain((chosen) =>
      fc.record(
        Object.fromEntries(
          [...required, ...chosen].flatMap((name) =>
            parts([properties[name]]).map((one) => [name, likelyField(name, one, words)] as const),
          ),
        ),
      ),
    )
}

const likelyField = (name: string, schema: JsonSchema, words: RequestWords) =>
  Object.hasOwn(words.named, name) ? fc.constant(words.named[name]) : likely(schema, words)

// A positive number without a maximum is an id.
function likelyNumber({ minimum, exclusiveMinimum, maximum }: JsonSchema, { ids }: RequestWords) {
  if (exclusiveMinimum === 0) return fc.oneof(fc.constant(1), fc.constantFrom(...ids))
  const least = minimum ?? 0
  return fc.integer({ min: least, max: Math.min(maximum ?? least + 100, least + 100) })
}

/** A schema may also be a bare boolean, which says nothing. */
const parts = (schemas: unknown[]) =>
  schemas.filter((one): one is JsonSchema => typeof one === 'object' && one !== null && !Array.isArray(one))

export const hostileTexts = [
  '',
  '"',
  "'; DROP TABLE vulns; --",
  'AND',
  'NEAR(a b)',
  'C++',
  '🦊',
  '%',
  '*',
  '((((',
  '{"a":1}',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e',
  '\r\nX-Evil: 1',
  'x'.repeat(10_000),
  'C++ '.repeat(2_500),
  '1e400',
  'NaN',
  '9'.repeat(30),
  '__proto__',
  'cpe:2.3:*',
  'cpe:2.3:a:"\\:*',
  'pkg:npm/%ff',
  'CVE-99999999999999999999-1',
  'javascript:alert(1)',
  '2026-02-31',
]

export const hostileValues = fc.oneof(
  fc.constantFrom<unknown>(...hostileTexts),
  fc.constantFrom<unknown>(null, [], {}, [[]], ['x', 1], { $ne: 1 }, -1, 0, 0.5, 1e308, 2 ** 53, true, [null], ['']),
  fc.string({ unit: 'binary', maxLength: 60 }),
)
