import * as z from 'zod'
import { auditedBy, type By } from '../auth/audited-by'
import { requireProof } from '../auth/proof'
import type { Db } from '../db/open'
import { Failure } from '../http/errors'
import { BadDocument } from '../inventories/read/bad-document'
import { parseSlice } from '../inventories/read/json-text'
import { readText } from '../inventories/read/read-text'
import { maxLeftOut, recordKinds, type RecordKind, type TransferReply } from './contract'
import type { Importing, LeftOut, Numbered, TakenCounts } from './take-each'
import { formatVersion, Header, records } from './records'
import { takeDecisions } from './take-decisions'
import { takeGroups, takeInventories, takeOwnVulns, takeWatched } from './take-watched'
import { takeComments, takeExploits, takeRules, takeSettings, takeThreats, takeViews } from './take-words'

type Taken = { [Kind in RecordKind]: Numbered<Kind>[] }
type Takers = { [Kind in RecordKind]: (scene: Importing, records: Numbered<Kind>[]) => Promise<TakenCounts> }

const takers: Takers = {
  own_vulnerability: takeOwnVulns,
  inventory: takeInventories,
  watch: takeWatched,
  group: takeGroups,
  decision: takeDecisions,
  comment: takeComments,
  exploit: takeExploits,
  threat: takeThreats,
  view: takeViews,
  rules: takeRules,
  settings: takeSettings,
}

/** A call may ask the database so often; about so often each record of these kinds does, and one of the others hardly. */
const budget = 500
const weights: Partial<Record<RecordKind, number>> = {
  own_vulnerability: 40,
  inventory: budget,
  group: 12,
  exploit: 8,
  threat: 8,
  view: 8,
  rules: 20,
  settings: 60,
}

/** Each record names things by what they are called everywhere, so any part of a file is read by itself, and once more changes nothing. */
export async function importOrgFile(db: Db, { file, from }: Sent, by: By): Promise<TransferReply> {
  await requireProof(db, by.actor, by.now)
  const { taken, left, next } = readRecords(await readFile(file), from)
  const counts = recordKinds.flatMap((kind) => (taken[kind].length ? [[kind, taken[kind].length]] : []))
  await auditedBy(
    db,
    [],
    { action: 'org.import', target: `lines from ${from}`, detail: Object.fromEntries(counts) },
    by,
  )
  const outcomes = new Map<string, TakenCounts>()
  for (const kind of recordKinds) {
    if (!taken[kind].length) continue
    const outcome = await take(kind, { db, by }, taken)
    outcomes.set(kind, outcome)
    left.push(...outcome.left.map((leftOut) => ({ ...leftOut, kind })))
  }
  const results = recordKinds.flatMap((kind) => {
    const { added = 0, already = 0 } = outcomes.get(kind) ?? {}
    const left_out = left.filter((leftOut) => leftOut.kind === kind).length
    return added + already + left_out ? [{ kind, added, already, left_out }] : []
  })
  const left_out = left.toSorted((one, other) => one.line - other.line).slice(0, maxLeftOut)
  return { status: 'success', next, results, left_out, left_out_count: left.length }
}

const take = <Kind extends RecordKind>(kind: Kind, scene: Importing, taken: Taken) => takers[kind](scene, taken[kind])

type Sent = { file: ReadableStream<Uint8Array> | null; from: number }

async function readFile(file: ReadableStream<Uint8Array> | null) {
  if (!file) throw new Failure(400, 'invalid_document', 'The request has no body: send the file itself')
  try {
    return await readText(file)
  } catch (error) {
    if (!(error instanceof BadDocument)) throw error
    throw new Failure(400, 'invalid_document', error.message)
  }
}

/** Line by line, from that one on, as many as a call can take. */
function readRecords(text: string, from: number) {
  const taken = Object.fromEntries(recordKinds.map((kind) => [kind, [] as unknown[]])) as Taken
  const left: (LeftOut & { kind: string })[] = []
  let spent = 0
  let line = 1
  for (let at = 0; at < text.length; line++) {
    const end = text.indexOf('\n', at)
    const [start, stop] = [at, end === -1 ? text.length : end]
    at = stop + 1
    if (line === 1) requireHeader(text.slice(start, stop))
    if (line < Math.max(2, from)) continue
    const written = readLine(text.slice(start, stop))
    const known = recordKinds.find((kind) => kind === written.kind)
    const weight = (known && weights[known]) ?? 1
    if (spent > 0 && spent + weight > budget) return { taken, left, next: line }
    spent += weight
    const parsed = known && records[known].safeParse(written.value)
    if (parsed?.success) (taken[known as 'watch'] as unknown[]).push({ line, record: parsed.data })
    else if (written.kind !== 'end') left.push({ line, kind: written.kind, name: '', reason: describe(parsed?.error) })
  }
  if (line === 1) requireHeader('')
  return { taken, left, next: null }
}

const Written = z.looseObject({ kind: z.string().max(50) })

function readLine(text: string): { kind: string; value?: unknown } {
  // The last line may be empty.
  if (!text.trim()) return { kind: 'end' }
  const value = parseJson(text)
  return { kind: Written.safeParse(value).data?.kind ?? '', value }
}

function describe(error: z.ZodError | undefined) {
  const [issue] = error?.issues ?? []
  return issue ? `${issue.path.join('.')}: ${issue.message}`.slice(0, 300) : 'Not a record that this version knows'
}

function requireHeader(text: string) {
  const { data: header } = Header.safeParse(parseJson(text))
  if (!header) throw new Failure(400, 'invalid_document', 'The first line is not that of an export of an organization')
  if (header.version > formatVersion)
    throw new Failure(
      400,
      'newer_format',
      `The file was written by a newer Earshot (format ${header.version}): update this installation first`,
    )
}

function parseJson(text: string): unknown {
  try {
    return parseSlice(text, { start: 0, end: text.length })
  } catch {
    return undefined
  }
}
