import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The bench writes into these folders, so they are our own, with links to the given files. */
const changed = ['cve5', 'epss']

export type BenchPlace = { work: string; feeds: string; state: string }

/** A working folder with links to the given feeds. */
export function createPlace(given: string): BenchPlace {
  const work = mkdtempSync(join(tmpdir(), 'earshot-bench-'))
  const feeds = join(work, 'feeds')
  for (const name of changed) {
    mkdirSync(join(feeds, name), { recursive: true })
    for (const inside of readdirSync(join(given, name)))
      symlinkSync(join(given, name, inside), join(feeds, name, inside))
  }
  for (const { name } of readdirSync(given, { withFileTypes: true }).filter((one) => one.isDirectory()))
    if (!changed.includes(name)) symlinkSync(join(given, name), join(feeds, name))
  return { work, feeds, state: join(work, 'state') }
}

export const removePlace = ({ work }: BenchPlace) => rmSync(work, { recursive: true, force: true })

/** Time and changes of all runs. Runs record whole seconds; half a second more each keeps the figure from being too good. */
export function readLoad(file: string) {
  const db = new DatabaseSync(file, { readOnly: true })
  const run = db
    .prepare('SELECT min(started_at) AS first, max(finished_at) AS last, sum(changed) AS changed FROM feed_runs')
    .get()
  const vulns = db.prepare('SELECT count(*) AS count FROM vulns').get()
  db.close()
  const seconds = (Date.parse(String(run?.last)) - Date.parse(String(run?.first))) / 1000 + 0.5
  return { seconds, vulns: Number(vulns?.count), changed: Number(run?.changed) }
}

export const size = (bytes: number, vulns: number) =>
  `${(bytes / 1e6).toFixed(0)} MB, ${(bytes / vulns / 1000).toFixed(2)} kB per vulnerability`

export const fileSize = (file: string) => statSync(file).size
