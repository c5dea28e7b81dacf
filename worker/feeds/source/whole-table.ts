import type { Skip } from './skip'

/** `counter` names the counter of rows; `rows` hold the values of `key`, then of `columns`; `of` is the record of a row; `kept` says in SQL which rows are no words of the source. */
export type WholeTable = {
  name: string
  key: string[]
  columns: string[]
  of: string
  rows: unknown[][]
  kept?: string
  counter?: string
}

/** The table of records comes first; `unread` names skipped records, whose rows stay. */
export type WholeTables = {
  origin: string
  version: string
  tables: WholeTable[]
  skipped: Skip[]
  unread: (string | number)[]
}
