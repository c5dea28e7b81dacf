import { importOrg, type TransferReply } from '../../../worker/transfer/contract'
import { ApiError, call } from '../../lib/call'

const pieceLetters = 2_000_000
const pieceLines = 500
/** So many are shown; the number tells of all. */
const maxShown = 200

export type Brought = Pick<TransferReply, 'results' | 'left_out' | 'left_out_count'>

/** Sends pieces, each a file of its own with the same first line; `tell` hears which share is done. */
export async function bringFile(file: File, tell: (share: number) => void): Promise<Brought> {
  const [head = '', ...lines] = (await file.text()).trimEnd().split('\n')
  if (head.includes('"earshot-organization"') && !lines.at(-1)?.includes('"kind":"end"'))
    throw new Error('The file is not complete: its last line is missing. Export it again.')
  let brought: Brought = { results: [], left_out: [], left_out_count: 0 }
  let at = 0
  // Also a file of one line is sent: anything but an export is refused by its first.
  do {
    const piece = cutPiece(lines, at)
    const { next, ...answer } = await sendPiece(new Blob([[head, ...piece].join('\n')]))
    brought = addUp(brought, { ...answer, left_out: moveDown(answer.left_out, at) })
    // Its second line is the first of these.
    at += next === null ? piece.length : next - 2
    tell(at / Math.max(1, lines.length))
  } while (at < lines.length)
  return brought
}

const moveDown = (rows: Brought['left_out'], lines: number) => rows.map((row) => ({ ...row, line: row.line + lines }))

function cutPiece(lines: string[], from: number) {
  let [to, letters] = [from, 0]
  while (to < lines.length && to - from < pieceLines && (to === from || letters < pieceLetters))
    letters += lines[to++]?.length ?? 0
  return lines.slice(from, to)
}

async function sendPiece(file: Blob): Promise<TransferReply> {
  for (;;)
    try {
      return await call(importOrg, { query: {}, file })
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429) throw error
      await new Promise((resolve) => setTimeout(resolve, Math.max(1, error.wait_s) * 1000))
    }
}

function addUp(before: Brought, more: Brought): Brought {
  const results = before.results.map((row) => ({ ...row }))
  for (const row of more.results) {
    const same = results.find(({ kind }) => kind === row.kind)
    if (!same) results.push(row)
    else {
      same.added += row.added
      same.already += row.already
      same.left_out += row.left_out
    }
  }
  return {
    results,
    left_out: [...before.left_out, ...more.left_out].slice(0, maxShown),
    left_out_count: before.left_out_count + more.left_out_count,
  }
}
