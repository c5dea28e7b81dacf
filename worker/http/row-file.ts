import { csvFormatRow } from 'd3-dsv'
import { withoutTurns } from '../domain/people/name'

export type RowFormat = 'csv' | 'json'
/** A field, or a heading with what stands below it. */
type Column<Row> = (keyof Row & string) | [head: string, read: (row: Row) => unknown]
type Source<Id, Row> = {
  columns: Column<Row>[]
  /** The ids of all rows in their order, and the rows of some of them. */
  list: () => Promise<Id[]>
  read: (ids: Id[]) => Promise<Row[]>
}

const chunkRows = 500

/** Written while the rows are read. */
export function toRowFile<Id, Row>(name: string, format: RowFormat, { columns, list, read }: Source<Id, Row>) {
  const cells = (row: Row) => columns.map((column) => (typeof column === 'string' ? row[column] : column[1](row)))
  let left: Id[] | undefined
  let isFirst = true
  const toText = (rows: Row[]) =>
    format === 'csv'
      ? rows.map((row) => `${csvFormatRow(cells(row).map(toCell))}\r\n`).join('')
      : (isFirst ? '' : ',\n') + rows.map((row) => JSON.stringify(row)).join(',\n')
  const pieces = new ReadableStream<string>({
    async pull(controller) {
      if (!left)
        controller.enqueue(format === 'csv' ? `${columns.map((column) => [column].flat()[0]).join()}\r\n` : '[\n')
      left ??= await list()
      const rows = await read(left.slice(0, chunkRows))
      left = left.slice(chunkRows)
      if (rows.length) {
        controller.enqueue(withoutTurns(toText(rows)))
        isFirst = false
      }
      if (left.length) return
      if (format === 'json') controller.enqueue('\n]\n')
      controller.close()
    },
  })
  const fallback = /^[\w-]+$/.test(name) ? name : 'findings'
  return new Response(pieces.pipeThrough(new TextEncoderStream()), {
    headers: {
      'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="${fallback}.${format}"; filename*=UTF-8''${encodeURIComponent(name)}.${format}`,
    },
  })
}

/** A spreadsheet runs a cell that begins with one of these signs, also wide ones. */
export const cellSigns = String.raw`[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]`
const atStart = new RegExp(`^${cellSigns}`)
/** Where a comma is for decimals, a spreadsheet begins a cell at each semicolon, whatever is quoted. */
const atSemicolon = new RegExp(`;(?=${cellSigns})`, 'g')

/** An apostrophe makes it a text. Marks that are left out do not hide the sign. */
export const toCell = (value: unknown) => {
  const text = value === null || value === undefined ? '' : withoutTurns(String(value))
  return typeof value === 'string' ? text.replace(atStart, "'$&").replace(atSemicolon, ";'") : text
}
