import type * as z from 'zod'
import { errorText } from '../../db/error-text'
import { isTooDense, maxValues } from '../../http/json'
import { BadDocument, describePosition } from './bad-document'

export type TextSpan = { start: number; end: number }

const maxMembers = 1_000

const quote = 0x22
const backslash = 0x5c
const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
const isOpening = (code: number) => code === 0x7b || code === 0x5b
const isClosing = (code: number) => code === 0x7d || code === 0x5d

/** Notes only where each member stands: a document of 20 MB as a tree of objects would take several times the memory. */
export function findMembers(text: string): Map<string, TextSpan> {
  const members = new Map<string, TextSpan>()
  let at = skipSpace(text, text.charCodeAt(0) === 0xfeff ? 1 : 0)
  if (text[at] !== '{') throw broken(text, at, 'Expected an object')
  at = skipSpace(text, at + 1)
  while (text[at] !== '}') {
    const nameEnd = skipString(text, at)
    const name = String(parseSlice(text, { start: at, end: nameEnd }))
    at = skipSpace(text, nameEnd)
    if (text[at] !== ':') throw broken(text, at, 'Expected a colon')
    const start = skipSpace(text, at + 1)
    const end = skipValue(text, start)
    members.set(name, { start, end })
    if (members.size > maxMembers) throw tooMany('members', maxMembers)
    at = nextItem(text, end, '}')
  }
  if (skipSpace(text, at + 1) < text.length) throw broken(text, at + 1, 'The document goes on after its end')
  return members
}

/** Each with its place. */
export function* readElements(
  text: string,
  slice: TextSpan | undefined,
  name: string,
): Generator<[element: unknown, place: string]> {
  if (!slice) return
  if (text[slice.start] !== '[') throw new BadDocument(name, 'Must be an array')
  let at = skipSpace(text, slice.start + 1)
  for (let count = 0; text[at] !== ']'; count++) {
    if (count === maxValues) throw tooMany('values', maxValues)
    const end = skipValue(text, at)
    yield [parseSlice(text, { start: at, end }), `${name}[${count}]`]
    at = nextItem(text, end, ']')
  }
}

export function parseSlice(text: string, { start, end }: TextSpan): unknown {
  if (isTooDense(text, start, end)) throw tooMany('values', maxValues)
  try {
    return JSON.parse(text.slice(start, end))
  } catch (error) {
    const message = errorText(error)
    const offset = Number(/at position (\d+)/.exec(message)?.[1] ?? 0)
    throw broken(text, start + offset, message.replace(/ \(line.*\)$| at position \d+.*$/, ''))
  }
}

/** Otherwise zod keeps an issue for each wrong element, and spreads a million of them on the stack. */
const untilFirst: z.core.ParseContextInternal<z.core.$ZodIssue> = { abortEarly: true }

export function parseMember<Schema extends z.ZodType>(schema: Schema, value: unknown, place: string): z.output<Schema> {
  const parsed = schema.safeParse(value, untilFirst)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const path = issue?.path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('') ?? ''
  throw new BadDocument(`${place}${path}`.replace(/^\./, ''), issue?.message ?? 'Invalid')
}

/** Parses members by their names; one that is missing is undefined. */
export const memberReader =
  (text: string, members = findMembers(text)) =>
  <Schema extends z.ZodType>(name: string, schema: Schema) => {
    const span = members.get(name)
    return parseMember(schema, span && parseSlice(text, span), name)
  }

function nextItem(text: string, end: number, closing: string) {
  const at = skipSpace(text, end)
  if (text[at] === closing) return at
  if (text[at] !== ',') throw broken(text, at, at >= text.length ? 'The document ends too early' : 'Expected a comma')
  const next = skipSpace(text, at + 1)
  if (text[next] === closing) throw broken(text, next, 'A comma before the end')
  return next
}

function skipSpace(text: string, from: number) {
  let at = from
  while (isSpace(text.charCodeAt(at))) at++
  return at
}

function skipValue(text: string, start: number) {
  const code = text.charCodeAt(start)
  if (code === quote) return skipString(text, start)
  if (isOpening(code)) return skipNested(text, start)
  const end = start + (/^[^\s,\]}]*/.exec(text.slice(start, start + 100))?.[0].length ?? 0)
  if (end === start)
    throw broken(text, start, start >= text.length ? 'The document ends too early' : 'Expected a value')
  return end
}

function skipNested(text: string, start: number) {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = skipString(text, at) - 1
    else if (isOpening(code)) depth++
    else if (isClosing(code) && --depth === 0) return at + 1
  }
  throw broken(text, text.length, 'The document ends too early')
}

function skipString(text: string, start: number) {
  if (text.charCodeAt(start) !== quote) throw broken(text, start, 'Expected a string')
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let first = end
    while (text.charCodeAt(first - 1) === backslash) first--
    if ((end - first) % 2 === 0) return end + 1
  }
  throw broken(text, text.length, 'The document ends inside a string')
}

const tooMany = (what: string, limit: number) =>
  new BadDocument('', `There are more than ${limit.toLocaleString('en')} ${what} in one place`)

const broken = (text: string, at: number, reason: string) =>
  new BadDocument(describePosition(text, Math.min(at, text.length)), `Not JSON: ${reason}`)
