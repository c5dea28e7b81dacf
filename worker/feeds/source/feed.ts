import type { z } from 'zod'
import type { Db } from '../../db/open'
import type { Source, VulnRecord } from '../../domain/record'
import type { Env } from '../../env'
import type { Withdrawn } from '../../merge/withdrawn'
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

/** What a step may do: its writes all carry the cursor that makes it go on after them. */
export type StepRun<Cursor> = {
  env: Env
  db: Db
  now: Date
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
  /** The step has asked the database enough: it ends where it is, and the next one goes on. */
  isSpent(): boolean
}

export type StepEnd<Cursor> = { cursor: Cursor; done: boolean; wait_s?: number }

/** A source that is read step by step; a step may run twice, or be cut short anywhere, and nothing is lost or doubled. */
export type Feed<Cursor> = {
  name: string
  /** Null runs only when somebody asks. */
  every_minutes: number | null
  /** Where it reads from; empty where it is switched off. Another origin is read from its beginning. */
  origin(env: Env): string
  /** What was stored as a cursor, if it can still be read. */
  cursor: z.ZodType<Cursor>
  step(run: StepRun<Cursor>, cursor: Cursor | null): Promise<StepEnd<Cursor>>
}
