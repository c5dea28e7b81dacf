import type * as z from 'zod'
import type { Db } from '../../db/open'
import type { Source, VulnRecord } from '../../domain/words/record'
import type { Env } from '../../env'
import { isAborted } from '../../db/guard'
import type { Withdrawn } from '../../merge/moved-records'
import type { Topic } from '../contract'
import type { Skip } from './read-records'

export type Commit = {
  records: VulnRecord[]
  /** Records of the source that it no longer has. */
  withdrawn?: Withdrawn[]
  skipped?: Skip[]
  /** How many records of the source this covers, skipped ones included. */
  read: number
  is_backfill: boolean
}

export type Statements = {
  counted?: D1PreparedStatement[]
  listed?: D1PreparedStatement[]
  more?: D1PreparedStatement[]
  hasNews?: boolean
  /** The source counts otherwise since its last file: its changes are no news. */
  isRewrite?: boolean
}

/** Each write carries the cursor and may end the step by an exception; the next step continues from the last written cursor. */
export type StepRun<Cursor> = {
  env: Env
  db: Db
  now: Date
  /** The feed's own address. */
  origin: string
  /** Writes records of `source` and the cursor together, then lets readers in. */
  commit(source: Source, commit: Commit, cursor: Cursor): Promise<void>
  /** Derives these vulnerabilities again from their stored records. */
  remerge(cveids: string[], cursor: Cursor): Promise<void>
  /**
   * Writes other statements of a feed and the cursor together; the run counts the changes of the `counted` ones.
   * `listed` ones count by the rows that they return, because their triggers write others.
   */
  write(statements: Statements, cursor: Cursor, counts?: { read: number; skipped: Skip[] }): Promise<void>
  setTotal(total: number): void
  /** True after several failed runs: this one skips the record that makes it fail. */
  skipsHostile: boolean
  /** All is read again because our rules changed: a known record is read all the same. */
  isReread: boolean
}

/** `newest`: when the source last changed, if it says so; else the time of the last run that changed anything counts. */
export type StepEnd<Cursor> = { cursor: Cursor; done: boolean; wait_s?: number; newest?: string | undefined }

/** An address, and the version of it that is stored here. */
export type Watched = { url: string; version: string; headers?: Record<string, string> }
export type FeedPlace = { env: Env; origin: string }

type Definition<Cursor> = {
  /** The name in the database, in the API and in `<ID>_URL`, the variable for another address. */
  id: string
  name: string
  /** A short name to stand beside its statements; `name` by default. */
  label?: string
  /** Null: runs only on request. */
  every_minutes: number | null
  /** The source's own rhythm: after so long without anything new it has probably stopped. Null: it may rest for years. */
  quiet_days: number | null
  /** The publisher's addresses, separated by spaces; null for a feed that reads nothing from outside. */
  origin: string | null
  /** The secret without which it is switched off. */
  key?: FeedKey
  /** The API's triggers that run it. */
  topics?: Topic[]
  lists_exploits?: boolean
  /** The number of the rules by which records are read: count it up where they say something else, and each installation reads all again once. 0: never. */
  reading?: number
  cursor: z.ZodType<Cursor>
  /** The addresses that all have to stay as they are for a run to be superfluous; null when only a run can tell. */
  watch?(cursor: Cursor, asked: FeedPlace): Watched[] | null
  /** Must neither lose nor double anything when it runs twice or stops anywhere. */
  step(run: StepRun<Cursor>, cursor: Cursor | null): Promise<StepEnd<Cursor>>
}

/** Secrets of the Worker that open a source. */
type FeedKey = 'VULNCHECK_KEY'

export type Feed = Required<Omit<Definition<unknown>, 'origin' | 'key' | 'cursor' | 'watch' | 'step'>> & {
  key?: FeedKey
  /** The address from which it reads; empty if it is switched off or lacks its key. A new origin is read from the beginning. */
  originIn(env: Env): string
  /** As in the definition; for a feed that can be asked. */
  watch?(env: Env, stored: unknown): Watched[] | null
  step(run: StepRun<unknown>, stored: unknown): Promise<StepEnd<unknown>>
}

/** If the stored cursor has become unreadable, the feed starts from the beginning. */
export function defineFeed<Cursor>({ origin, cursor: schema, watch, step, ...about }: Definition<Cursor>): Feed {
  const { id, name, key } = about
  const parse = (stored: unknown) => schema.safeParse(stored).data ?? null
  const originIn = (env: Env) => {
    if (key && !env[key]) return ''
    return origin === null ? 'here' : addressIn(env, `${id.toUpperCase()}_URL`, origin)
  }
  return {
    label: name,
    topics: [],
    lists_exploits: false,
    reading: 0,
    ...about,
    originIn,
    ...(watch && {
      watch(env, stored) {
        const cursor = parse(stored)
        return cursor && watch(cursor, { env, origin: originIn(env) })
      },
    }),
    step: (run, stored) => step(run, parse(stored)),
  }
}

/** The address in a variable of the Worker; else the standard one, unless OFFLINE is set. */
export const addressIn = (env: Env, variable: string, standard: string) =>
  env[variable as `${string}_URL`] ?? (env.OFFLINE ? '' : standard)

export class StepSpent extends Error {}

/** The step used up its queries, or another invocation took it over: no record is to blame. */
export const endsStep = (error: unknown) => error instanceof StepSpent || isAborted(error, 'feed claim')
