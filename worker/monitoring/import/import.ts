import type { Db } from '../../db/open'
import { readyAuditBy, type By } from '../../auth/audited-by'
import { policies } from '../../domain/people/access'
import { needsManager } from '../../http/errors'
import type { ImportReply, ImportForm } from '../import-contract'
import { applyImport } from './apply'
import { findWatchlist, type Watchlist } from './current'
import { findNearest } from './nearest'
import { parseLines, type LineProblem, type RepeatedLine } from './parse-lines'
import { planImport, type ImportPlan, type LineAction, type PlanMode } from './plan'
import { readRows } from './read-file'
import { findRemovedLines, toAwaitedLines } from '../removed/lists'
import { sql } from 'drizzle-orm'
import { readAll } from '../../db/bulk'
import { statement } from '../../db/statement'
import { watchedKinds, type Wanted, type WatchedKind } from '../../domain/names/watch-item'
import { itemTables } from '../../watchlist/item-tables'
import { resolveLines, type Resolved } from './resolve'

/** So many lines of each kind are told of; the numbers tell of all. */
const maxShown = 500

/** All of it or nothing; a dry run only says what would change. */
export async function importList(db: Db, { file, ...request }: ImportForm, by: By): Promise<ImportReply> {
  if (request.mode !== 'add' && !request.dry_run && !policies.manageMetadata(by.actor))
    throw needsManager(`mode: '${request.mode}' removes what your organization monitors`)
  const bytes = typeof file === 'string' ? new TextEncoder().encode(file) : new Uint8Array(await file.arrayBuffer())
  return importRows(db, await readRows(bytes), request, by)
}

type Rows = Pick<ImportForm, 'dry_run' | 'fixes'> & { mode: PlanMode }

export async function importRows(db: Db, rows: string[][], request: Rows, by: By) {
  const { mode, dry_run, fixes } = request
  const { org_id } = by.actor
  const { lines, problems, ...written } = parseLines(rows, fixes)
  const [{ kb_version, resolved, vendors, ...named }, current, write] = await Promise.all([
    resolveLines(db, org_id, lines),
    findWatchlist(db, org_id),
    dry_run ? undefined : readyAuditBy(db, by),
  ])
  const watchlist = { ...current, vendors }
  const repeated = [...written.repeated, ...named.repeated].toSorted((a, b) => a.line - b.line)
  const plan = planImport(mode, resolved, watchlist)
  // A name that is no longer awaited needs no check, nor one that goes on being so.
  const settled = ['remove', 'already']
  const known = new Set(plan.actions.filter(({ action }) => settled.includes(action)).map(({ line }) => line))
  const unknown = resolved.filter(({ id, line }) => id === null && !known.has(line))
  const [nearest, unlisted, gone] = await Promise.all([
    findNearest(
      db,
      unknown.map(({ wanted }) => wanted),
    ),
    findUnlisted(db, mode, plan, resolved),
    write ? findGone(db, org_id, plan, watchlist) : [],
  ])
  const changed = findChanged(plan, resolved)
  const pending_count = write ? await applyImport(db, plan, { kb_version, gone, changed, write }, by) : 0
  return { ...toReply(plan, { problems, repeated, unknown, nearest, dry_run }), unlisted, pending_count }
}

const findGone = async (db: Db, org_id: number, { removed, excluded, forgotten }: ImportPlan, watchlist: Watchlist) => [
  ...(await findRemovedLines(db, org_id, { ...removed, product: [...removed.product, ...excluded] })),
  ...toAwaitedLines(forgotten, watchlist),
]

/** Items that go on being watched, in another way. */
function findChanged({ actions }: ImportPlan, lines: { line: number; monitored: boolean }[]) {
  const watched = new Set(lines.filter(({ monitored }) => monitored).map(({ line }) => line))
  return actions.flatMap(({ line, kind, value, action }) =>
    action === 'change' && watched.has(line) ? [[kind, value]] : [],
  )
}

type Found = {
  problems: LineProblem[]
  repeated: RepeatedLine[]
  unknown: { line: number; wanted: Wanted }[]
  nearest: Map<string, string[]>
  dry_run: boolean
}

function toReply(plan: ImportPlan, found: Found): Omit<ImportReply, 'unlisted' | 'pending_count'> {
  const { problems, repeated, unknown, nearest, dry_run } = found
  const count = (action: LineAction) => plan.actions.filter((one) => one.action === action).length
  const awaited = new Set(plan.actions.filter(({ action }) => action === 'await').map(({ line }) => line))
  const not_known = unknown.map(({ line, wanted: { kind, value } }) => ({
    line,
    type: kind as string,
    value,
    reason: awaited.has(line) ? 'Not known yet: it is monitored as soon as the knowledge base names it' : 'Not known',
    awaited: awaited.has(line),
    nearest: nearest.get(`${kind} ${value}`) ?? [],
  }))
  const not_read = problems.map((problem) => ({ ...problem, awaited: false, nearest: [] }))
  return {
    status: 'success',
    dry_run,
    added: count('add'),
    changed: count('change'),
    already: count('already'),
    removed: Object.values(plan.removed).flat().length + plan.forgotten.length,
    awaited: count('await'),
    unknown: [...not_read, ...not_known].toSorted((a, b) => a.line - b.line),
    lines: plan.actions
      .filter(({ action }) => action !== 'await' && action !== 'absent')
      .slice(0, maxShown)
      .map(({ line, kind, value, action }) => ({ line, type: kind, value, action })),
    repeated: repeated
      .slice(0, maxShown)
      .map(({ line, wanted: { kind, value }, first }) => ({ line, type: kind, value, first })),
  }
}

/** The first items that a replacing list takes off without a line of their own. */
async function findUnlisted(
  db: Db,
  mode: PlanMode,
  plan: ImportPlan,
  lines: Resolved[],
): Promise<ImportReply['unlisted']> {
  if (mode !== 'sync') return []
  const named = new Set(lines.map(({ wanted, id }) => `${wanted.kind} ${id}`))
  const statements = watchedKinds.flatMap((kind) => {
    const ids = plan.removed[kind].filter((id) => !named.has(`${kind} ${id}`)).slice(0, maxShown)
    return ids.length ? [statement(db, selectNames(kind, JSON.stringify(ids)))] : []
  })
  const items = await readAll<{ type: WatchedKind; value: string }>(db, statements)
  const awaited = plan.forgotten.map(({ kind, value }) => ({ type: kind, value }))
  return [...items, ...awaited].slice(0, maxShown)
}

const selectNames = (kind: WatchedKind, json: string) =>
  sql`SELECT ${kind} AS type, ${itemTables[kind].value} AS value FROM jsonb_each(${json}) j CROSS JOIN ${itemTables[kind].items} i ON i.id = j.value ORDER BY value`
