import { csvFormatRow } from 'd3-dsv'

export type RowFormat = 'csv' | 'json'
type Source<Row> = {
  head: string[]
  cells: (row: Row) => unknown[]
  read: (limit: number, offset: number) => Promise<Row[]>
}

const chunkRows = 500

/** A file of all rows, written while they are read. */
export function toRowFile<Row>(name: string, format: RowFormat, { head, cells, read }: Source<Row>) {
  let at = 0
  const toText = (rows: Row[]) =>
    format === 'csv'
      ? rows.map((row) => `${csvFormatRow(cells(row).map(toCell))}\r\n`).join('')
      : (at === 0 ? '' : ',\n') + rows.map((row) => JSON.stringify(row)).join(',\n')
  const pieces = new ReadableStream<string>({
    async pull(controller) {
      const rows = await read(chunkRows, at)
      if (at === 0) controller.enqueue(format === 'csv' ? `${head.join()}\r\n` : '[\n')
      if (rows.length) controller.enqueue(toText(rows))
      at += chunkRows
      if (rows.length === chunkRows) return
      if (format === 'json') controller.enqueue('\n]\n')
      controller.close()
    },
  })
  return new Response(pieces.pipeThrough(new TextEncoderStream()), {
    headers: {
      'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="findings.${format}"; filename*=UTF-8''${encodeURIComponent(name)}.${format}`,
    },
  })
}

// A spreadsheet runs what begins with one of these signs: an apostrophe makes it a text.
const toCell = (value: unknown) => {
  const text = value === null || value === undefined ? '' : String(value)
  return typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
}
