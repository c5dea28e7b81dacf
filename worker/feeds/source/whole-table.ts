import type { Skip } from './skip'

/** `counter` holds the number of rows; `rows` the values of `key`, then of `columns`; `of` the record that a row belongs to. */
export type WholeTable = {
  name: string
  key: string[]
  columns: string[]
  of: string
  rows: unknown[][]
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
