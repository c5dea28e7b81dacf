import type { Skip } from './skip'

/** A table that one source alone fills; `counter` keeps how many rows it has. `rows` hold the values of `key`, then of `columns`; `of` names the record a row is of. */
export type WholeTable = {
  name: string
  key: string[]
  columns: string[]
  of: string
  rows: unknown[][]
  counter?: string
}

/** All that a source says, the table of its records first; `unread` names records that were skipped and so stay as they are. */
export type WholeTables = {
  origin: string
  version: string
  tables: WholeTable[]
  skipped: Skip[]
  unread: (string | number)[]
}
