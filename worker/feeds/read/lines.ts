import { csvParseRows } from 'd3-dsv'
import { SourceError } from './source-error'

/** Longer lines would not fit into memory together with what we make of them. */
const maxLine = 16_000_000

export async function* lines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let unfinished = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      unfinished += decoder.decode(value, { stream: !done })
      const complete = unfinished.split('\n')
      unfinished = done ? '' : (complete.pop() ?? '')
      for (const line of complete) yield line.endsWith('\r') ? line.slice(0, -1) : line
      if (done) return
      if (unfinished.length > maxLine) throw new SourceError(`A line of the file is longer than ${maxLine} letters`)
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

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
