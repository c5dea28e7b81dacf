import { readBulk } from '../db/bulk'
import type { Db } from '../db/open'
import { canonicalId } from '../domain/names/cve'
import { refused } from '../http/errors'
import type { Row } from './store'
import { findNamedKind, keptNumbers, namedKinds, namedParams, namesByKind, namesPart } from './tables'
import type { KeptTable, NamedKind } from './tables'

/** Of an organization that comes into another database: what the numbers of its rows are here. */
export type Move = {
  db: Db
  org_id: number
  /** By `kind number`; people are of the kind `user`. */
  here: Map<string, number>
  names: Map<string, string[]>
  /** Of entries of the log: the number of whoever wrote it, as it was. */
  actors: Map<number, number | null>
  /** Names of whom and what is not here. */
  missing: Set<string>
  left_out: number
}

export const newMove = (db: Db, org_id: number): Move => ({
  db,
  org_id,
  here: new Map(),
  names: new Map(),
  actors: new Map(),
  missing: new Set(),
  left_out: 0,
})

/** Seals, stored lists and the change log of the other database: made anew here, or over. */
const notMoved =
  'alert_proofs alert_waits due_remakes inventory_due inventory_lists judge_turns org_stats report_pages reports summaries vuln_changes'.split(
    ' ',
  )

export type NamedRow = [asked: unknown, first: unknown, name: unknown]
type Here = { asked: string | number; id: number; first: string; name: string }

/** Of names, each behind what stands for it. An advisory may be part of a CVE by now. */
export function findHere(db: Db, org_id: number, kind: NamedKind, names: NamedRow[]) {
  const found = `SELECT j.value->>0 AS asked, t.id, t.first, t.name FROM jsonb_each(?1) j CROSS JOIN (${namesByKind[kind]}) t
    ON t.first = j.value->>1 AND t.name = j.value->>2`
  if (kind !== 'vuln') return readBulk<Here>(db, found, names)
  return readBulk<Here>(
    db,
    `${found} CROSS JOIN vulns v ON v.id = t.id AND (v.org_id IS NULL OR v.org_id = ?2)
     UNION ALL SELECT j.value->>0, v.id, '', v.cveid FROM jsonb_each(?1) j CROSS JOIN vuln_aliases a ON a.alias = j.value->>2
       CROSS JOIN vulns v ON v.id = a.vuln_id AND v.org_id IS NULL`,
    names,
    org_id,
  )
}

async function learnNames({ db, org_id, here, names }: Move, rows: Row[]) {
  for (const kind of namedKinds) {
    const asked = rows.flatMap((row): NamedRow[] =>
      row['kind'] === kind ? [[row['id'], row['first'], row['name']]] : [],
    )
    for (const [id, ...name] of asked) names.set(`${kind} ${String(id)}`, name.filter(Boolean).map(String))
    for (const { asked: old, id } of await findHere(db, org_id, kind, asked))
      if (!here.has(`${kind} ${old}`)) here.set(`${kind} ${old}`, id)
  }
}

type Insert = (table: string, rows: Row[]) => Promise<void>
type Part = { table: KeptTable | undefined; name: string; rows: Row[] }

/** Inserts them by the numbers that they have here. */
export async function moveRows(move: Move, { table, name, rows }: Part, insert: Insert) {
  if (name === namesPart) return learnNames(move, rows)
  if (name === 'users') return movePeople(move, rows, insert)
  if (name === 'vulns') return moveOwnVulns(move, rows, insert)
  if (!table || notMoved.includes(name)) return
  if (keptNumbers.includes(name)) await requireFree(move, name, rows)
  const awaited: Row[] = []
  const moved = rows.flatMap((row): Row[] => {
    const found = moveRow(move, table, { ...row })
    if (found) return [found]
    const waiting = toAwaited(move, name, row)
    if (!waiting.length) move.left_out++
    awaited.push(...waiting)
    return []
  })
  await insert(name, moved)
  await insert('awaited', awaited)
  const names = awaited.map(({ kind, value, org_id }) => ({ kind, value, org_id }))
  await insert('awaited_names', names)
}

/** The same person is known by an address that was proved here. Others get their number of before where it is free. */
async function movePeople({ db, here, missing }: Move, rows: Row[], insert: Insert) {
  const find = () =>
    readBulk<{ old: number; id: number }>(
      db,
      `SELECT j.value->>0 AS old, u.id FROM jsonb_each(?1) j CROSS JOIN users u ON lower(u.email) = lower(j.value->>1)
         AND (u.email_verified_at IS NOT NULL OR u.password_hash = j.value->>2)`,
      rows.map(({ id, email, password_hash }) => [id, email, password_hash]),
    )
  await insert('users', rows)
  const found = new Set((await find()).map(({ old }) => old))
  const others = rows.filter(({ id }) => !found.has(Number(id)))
  await insert(
    'users',
    others.map(({ id: _, ...row }) => row),
  )
  for (const { old, id } of await find()) here.set(`user ${old}`, id)
  for (const { id, email } of rows) if (!here.has(`user ${String(id)}`)) missing.add(String(email))
}

/** They come before all that refers to them. */
async function moveOwnVulns(move: Move, rows: Row[], insert: Insert) {
  await insert(
    'vulns',
    rows.map(({ id: _, ...row }) => ({ ...row, top_products: '[]' })),
  )
  await learnNames(
    move,
    rows.map(({ id, cveid }) => ({ kind: 'vuln', id, first: '', name: cveid })),
  )
}

/** A row of another organization in the place of one of these would keep it away. */
async function requireFree({ db, org_id }: Move, table: string, rows: Row[]) {
  const taken = await readBulk(
    db,
    `SELECT 1 FROM jsonb_each(?1) j CROSS JOIN "${table}" t ON t.id = j.value AND t.org_id <> ?2 LIMIT 1`,
    rows.map(({ id }) => id),
    org_id,
  )
  if (taken.length) throw refused(409, 'in_use', 'This database is in use already: bring backups into a new one')
}

function moveRow(move: Move, { name: table, columns, key }: KeptTable, row: Row): Row | undefined {
  const { here, names, actors, missing } = move
  if (table === 'audit_log') actors.set(Number(row['seq']), row['actor_id'] as number | null)
  for (const { name, parent, isRequired } of columns) {
    const isPerson = parent === 'users' || name === 'actor_id'
    const kind = isPerson ? 'user' : findNamedKind(table, name, row)
    if (!kind || row[name] === null || row[name] === undefined) continue
    const named = `${kind} ${String(row[name])}`
    const id = here.get(named)
    if (id === undefined && (!isPerson || isRequired)) {
      const known = names.get(named)
      if (known) missing.add(known.join(':'))
      return undefined
    }
    row[name] = id ?? null
  }
  if ('since_seq' in row) row['since_seq'] = 0
  if (table === 'alert_channels') row['rota'] = moveRota(move, String(row['rota']))
  if (table === 'decision_changes' && row['before']) row['before'] = moveBefore(move, String(row['before']))
  if (table === 'saved_views') return moveView(move, row)
  // The others are referred to by nobody.
  if (key.join() === 'id' && table !== 'orgs' && !keptNumbers.includes(table)) delete row['id']
  return row
}

const toPerson = ({ here }: Move, old: unknown) => here.get(`user ${String(old)}`) ?? null

const peopleKeys = ['user_id', 'owner_id', 'approved_user_id', 'ended_user_id']

const moveBefore = (move: Move, json: string) =>
  JSON.stringify(JSON.parse(json, (key, value: unknown) => (peopleKeys.includes(key) ? toPerson(move, value) : value)))

function moveRota(move: Move, json: string) {
  if (!json) return ''
  const rota = JSON.parse(json) as { people: number[]; swaps: { user_id: number }[] }
  const people = rota.people.flatMap((id) => toPerson(move, id) ?? [])
  const swaps = rota.swaps.flatMap((swap) => {
    const user_id = toPerson(move, swap.user_id)
    return user_id === null ? [] : { ...swap, user_id }
  })
  return people.length ? JSON.stringify({ ...rota, people, swaps }) : ''
}

function moveView({ here, missing }: Move, row: Row) {
  const params = new URLSearchParams(String(row['query']))
  for (const [param, kind] of Object.entries(namedParams)) {
    const old = params.get(param)
    if (old === null) continue
    const id = here.get(`${kind} ${old}`)
    if (id === undefined) return void missing.add(`view ${String(row['name'])}`)
    params.set(param, String(id))
    row['query'] = params.toString()
  }
  return row
}

/** A watched name that is not known here yet is awaited. */
function toAwaited({ names, org_id }: Move, table: string, row: Row): Row[] {
  const kind = /^monitored_(vendor|product|package|vuln)s$/.exec(table)?.[1]
  const name = names.get(`${kind} ${String(row[`${kind}_id`])}`)
  if (!kind || !name || row['is_monitored'] === 0) return []
  const { groups = null, versions = null, created_at } = row
  const value =
    kind === 'package' ? name.join(':') : kind === 'vuln' ? canonicalId(name.join()) : name.join(':').toLowerCase()
  return [{ org_id, kind, value, groups, versions, created_at }]
}
