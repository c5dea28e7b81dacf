import type { z } from 'zod'
import type { Db } from '../../db/open'
import type { Source, VulnRecord } from '../../domain/record'
import type { Env } from '../../env'
import type { Withdrawn } from '../../merge/withdrawals'
import type { Topic } from '../contract'
import type { Skip } from './skip'

export type Commit = {
  records: VulnRecord[]
  /** Records of the source that it no longer has. */
  withdrawn?: Withdrawn[]
  skipped?: Skip[]
  /** How many records of the source this covers, read or skipped. */
  read: number
  is_backfill: boolean
}

export type Statements = {
  counted?: D1PreparedStatement[]
  listed?: D1PreparedStatement[]
  more?: D1PreparedStatement[]
  hasNews?: boolean
}

/** Each write carries the cursor, and may end the step by an exception; the next step goes on from the last cursor written. */
export type StepRun<Cursor> = {
  env: Env
  db: Db
  now: Date
  /** The feed's own address. */
  origin: string
  /** Writes records of `source` and the cursor together, then lets readers in. */
  commit(source: Source, commit: Commit, cursor: Cursor): Promise<void>
  /** Derives these vulnerabilities anew from the records that are here. */
  remerge(cveids: string[], cursor: Cursor): Promise<void>
  /**
   * Writes other statements of a feed and the cursor together; what the `counted` ones write is what the run changed.
   * `listed` ones count by the rows they return: those whose triggers write more.
   */
  write(statements: Statements, counts: { read: number; skipped: Skip[] }, cursor: Cursor): Promise<void>
  setTotal(total: number): void
  /** So many runs failed before this one that it skips what makes it fail. */
  skipsHostile: boolean
}

export type StepEnd<Cursor> = { cursor: Cursor; done: boolean; wait_s?: number }

/** What the folder of a feed says of it. */
type Definition<Cursor> = {
  /** Names it in the database, in the API and in `<ID>_URL`, the variable that holds another address. */
  id: string
  name: string
  /** Its short name, beside what it states; `name` by default. */
  label?: string
  /** Null runs only when somebody asks. */
  every_minutes: number | null
  /** Where its publisher offers it, several addresses separated by spaces; null reads nothing from outside. */
  origin: string | null
  /** Which triggers of the API run it. */
  topics?: Topic[]
  lists_exploits?: boolean
  cursor: z.ZodType<Cursor>
  /** A step may run twice, or be cut short anywhere, and nothing is lost or doubled. */
  step(run: StepRun<Cursor>, cursor: Cursor | null): Promise<StepEnd<Cursor>>
}

export type Feed = {
  id: string
  name: string
  label: string
  every_minutes: number | null
  topics: Topic[]
  lists_exploits: boolean
  /** Where it reads from; empty where it is switched off. Another origin is read from its beginning. */
  originIn(env: Env): string
  step(run: StepRun<unknown>, stored: unknown): Promise<StepEnd<unknown>>
}

/** A cursor that cannot be read any more makes the feed start from the beginning. */
export function defineFeed<Cursor>(definition: Definition<Cursor>): Feed {
  const { id, name, label = name, every_minutes, origin, topics = [], lists_exploits = false } = definition
  return {
    id,
    name,
    label,
    every_minutes,
    topics,
    lists_exploits,
    originIn: (env) => (origin === null ? 'here' : addressIn(env, `${id.toUpperCase()}_URL`, origin)),
    step: (run, stored) => definition.step(run, definition.cursor.safeParse(stored).data ?? null),
  }
}

/** The address that a variable of the Worker names; else the standard one, unless the Worker is to stay offline. */
export const addressIn = (env: Env, variable: string, standard: string) =>
  env[variable as `${string}_URL`] ?? (env.OFFLINE ? '' : standard)
