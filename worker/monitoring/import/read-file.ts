import { csvParseRows, dsvFormat } from 'd3-dsv'
import { ArchiveError } from '../../archives/archive-error'
import { listZipParts } from '../../archives/read-zip'
import { storeZip } from '../../archives/store-zip'
import { Failure } from '../../http/errors'

export const refuse = (message: string) => new Failure(400, 'invalid', message)

/** A list has at most so many lines below its header. */
const maxLines = 10_000
const maxCell = 2_000
/** Our columns, and some that somebody keeps beside them. */
const maxColumns = 20
const spreadsheet = { max_entries: 500, max_bytes: 15_000_000 }

export async function readRows(bytes: Uint8Array): Promise<string[][]> {
  const isArchive = bytes[0] === 0x50 && bytes[1] === 0x4b
  return isArchive ? (await readXlsx(bytes)).map(checkRow) : readCsv(bytes)
}

function checkRow(row: string[], at: number) {
  if (at > maxLines) throw refuse(`The file has more than ${maxLines} lines`)
  if (row.length > maxColumns) throw refuse(`Line ${at + 1} has more than ${maxColumns} columns`)
  if (row.some((cell) => cell.length > maxCell))
    throw refuse(`Line ${at + 1} has a cell of more than ${maxCell} letters`)
  return row
}

function readCsv(bytes: Uint8Array): string[][] {
  if (isUtf16(bytes)) throw refuse('The file is in UTF-16: save it as CSV in UTF-8')
  const text = decode(bytes)
  const [first = ''] = text.split(/\r?\n/, 1)
  const delimiter = [';', '\t'].find((sign) => first.includes(sign) && !first.includes(','))
  // Row by row: millions of empty ones would not fit into memory.
  return delimiter ? dsvFormat(delimiter).parseRows(text, checkRow) : csvParseRows(text, checkRow)
}

const isUtf16 = ([first, second]: Uint8Array) =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)

function decode(bytes: Uint8Array) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw refuse(`Line ${findBrokenLine(bytes)} is not in UTF-8: save the file as CSV in UTF-8`)
  }
}

// Line by line, since no character of UTF-8 has the byte of a line end in it.
function findBrokenLine(bytes: Uint8Array) {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  let start = 0
  for (let line = 1; ; line++) {
    const end = bytes.indexOf(0x0a, start)
    try {
      decoder.decode(bytes.subarray(start, end === -1 ? bytes.length : end))
    } catch {
      return line
    }
    if (end === -1) return line
    start = end + 1
  }
}

// The library is loaded by whoever sends a spreadsheet. Rows come one by one: a cell in the last corner costs no rectangle.
async function readXlsx(bytes: Uint8Array): Promise<string[][]> {
  const { streamXlsxRows } = await import('./xlsx')
  const rows: string[][] = []
  try {
    const checked = await storeZip(listZipParts(bytes, spreadsheet))
    for await (const { index, values } of streamXlsxRows(checked, { sheet: 0 })) {
      if (index > maxLines) throw refuse(`The file has more than ${maxLines} lines`)
      while (rows.length < index) rows.push([])
      rows.push(
        values.slice(0, maxColumns + 1).map((value) => (value === null || value === undefined ? '' : String(value))),
      )
    }
  } catch (error) {
    if (error instanceof Failure) throw error
    if (error instanceof ArchiveError) throw refuse(`The spreadsheet ${error.problem}`)
    throw refuse(
      `The file cannot be read as a spreadsheet: ${error instanceof Error ? error.message : 'it is damaged'}`,
    )
  }
  return rows
}
