import { textsOfRows } from './catch-up'
import { sqlIn } from './org'
import type { Origins } from './origins'
import type { World } from './world'

type Loaded = { at: number; waiting: World['waiting']; statements: string[] }
const loaded = new Map<string, Loaded>()

// So long as no feed is due again, unless none ran.
const freshFor_ms = 60_000
// D1 takes statements of 100 kB.
const longest = 60_000

/** The first load of what the origins hold, which many tests begin with; answers `instead` of it have a name. */
export function firstLoad(world: World, origins: Origins, { now = new Date(), instead = '' } = {}) {
  if (origins.instead && !instead) throw new Error('Nobody can tell these origins from others')
  const settings = Object.entries(world.env).filter(([, value]) => typeof value === 'string')
  return loadOnce(world, [settings, [...origins.files], origins.kev, origins.epss, instead], async () => {
    await world.tick(now)
    await world.drain()
  })
}

/** Loads by `load` into an empty database, or copies what the same load left in one a moment ago: a tenth of the work. */
export async function loadOnce(world: World, what: unknown, load: () => Promise<void>, lasts_ms = freshFor_ms) {
  const key = JSON.stringify(what)
  const known = loaded.get(key)
  if (known && Math.abs(Date.now() - known.at) < lasts_ms) {
    world.waiting.push(...structuredClone(known.waiting))
    await world.env.DB.batch(known.statements.map((sql) => world.env.DB.prepare(sql)))
    return
  }
  const at = Date.now()
  await load()
  loaded.set(key, { at, waiting: structuredClone(world.waiting), statements: await readStatements(world) })
}

async function readStatements({ env }: World) {
  const tables = await sqlIn(env)<{
    name: string
    columns: string
    literals: string
  }>`SELECT m.name, group_concat('"' || c.name || '"') AS columns, group_concat('quote("' || c.name || '")', '||'',''||') AS literals
     FROM sqlite_master m JOIN pragma_table_info(m.name) c
     WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%' AND m.name NOT GLOB '*_fts_*' AND m.name NOT GLOB 'sqlite_*'
       AND m.name NOT GLOB '_cf_*' AND m.name <> 'd1_migrations' GROUP BY m.name`
  const found = await env.DB.batch<{ row: string }>(
    tables.map(({ name, literals }) => env.DB.prepare(`SELECT ${literals} AS row FROM "${name}"`)),
  )
  const inserts = tables.flatMap(({ name, columns }, place) =>
    toPieces(found[place]?.results.map(({ row }) => `(${row})`) ?? []).map(
      (piece) => `INSERT OR REPLACE INTO "${name}"(${columns}) VALUES ${piece}`,
    ),
  )
  return ['PRAGMA defer_foreign_keys = on', ...inserts, ...textsOfRows]
}

function toPieces(values: string[]) {
  const pieces: string[] = []
  for (const value of values) {
    const last = pieces.at(-1)
    if (last !== undefined && last.length + value.length < longest) pieces[pieces.length - 1] = `${last},${value}`
    else pieces.push(value)
  }
  return pieces
}
