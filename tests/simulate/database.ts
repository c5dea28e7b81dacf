import { DatabaseSync } from 'node:sqlite'
import { asSessions, isReading } from '../support/d1-sessions.ts'
import { emptyDatabase } from '../support/database.ts'
import { foundingStatements } from '../support/founding.ts'
import { SeededChance } from '../support/seeded-chance.ts'
import { asD1, sqliteLimits } from '../support/sqlite-d1.ts'
import type { SimulatedWorld } from './world.ts'

/** The schema of the Worker beside this file, with the organizations that every story begins with, before anything is published. */
export function createOrganizations() {
  const file = emptyDatabase(':memory:', `${import.meta.dirname}/migrations`)
  for (const sql of foundingStatements) file.exec(sql)
  return file.serialize()
}

export function openCopy(database: Uint8Array) {
  const file = new DatabaseSync(':memory:', { limits: sqliteLimits })
  file.deserialize(database)
  return file
}

const behind_ms = 30_000
/** D1 on SQLite in this process. Readers may be answered by a copy that stays as it was before a write, for half a minute. */
export function simulatedD1(world: SimulatedWorld) {
  const { file } = world
  const primary = { plain: world.plain, at: 0 }
  let late = { ...primary, until_ms: 0 }
  // Organizations that take turns by chance do so by that of the story.
  const chance = new SeededChance(world.story.seed)
  file.function('random', () => chance.int(0, 1_000_000))

  return asSessions((asked, session) => {
    const isWrite = !asked.every(isReading)
    return world.trip(isWrite ? asked.length : 0, async () => {
      const isFit = session?.isAnywhere && late.until_ms > world.now_ms && late.at >= (session.seen ?? 0)
      const place = isFit ? late : primary
      if (isWrite && world.happens('copy-late'))
        late = { plain: asD1(openCopy(file.serialize())), at: primary.at, until_ms: world.now_ms + behind_ms }
      const results = await place.plain.ask(asked)
      if (isWrite) primary.at++
      return { results, at: place.at }
    })
  })
}
