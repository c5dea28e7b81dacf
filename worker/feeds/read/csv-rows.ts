import { csvParseRows } from 'd3-dsv'
import { lines } from './lines'
import { SourceError } from './source-error'

const maxRow = 1_000_000

export async function* csvRows(stream: ReadableStream<Uint8Array>): AsyncGenerator<string[]> {
  let row = ''
  let isOpen = false
  for await (const line of lines(stream)) {
    row = isOpen ? `${row}\n${line}` : line
    if (row.length > maxRow) throw new SourceError(`A row of the file is longer than ${maxRow} letters`)
    if (countQuotes(line) % 2 === 1) isOpen = !isOpen
    if (!isOpen) yield* csvParseRows(row)
  }
  if (isOpen) yield* csvParseRows(row)
}

function countQuotes(line: string) {
  let count = 0
  for (let at = line.indexOf('"'); at !== -1; at = line.indexOf('"', at + 1)) count++
  return count
}
