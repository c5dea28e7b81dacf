import { utcStamp } from '../source/dates'
import { compareText } from '../../domain/versions/orders/order'

export type DocumentChange = { url: string; date: string }

/**
 * The documents of a changes.csv (CSAF 2.0, 7.1.13), newest first; skips bad lines. CISA's paths repeat the end of the folder. A day ahead is today: it
 * would hide all other documents until then.
 */
export async function readChanges(folder: string, rows: AsyncIterable<string>, now: Date): Promise<DocumentChange[]> {
  const today = utcStamp(now.toISOString().slice(0, 10))
  const newest = new Map<string, DocumentChange>()
  for await (const row of rows) {
    const line = row.replace(/^\uFEFF/, '')
    const [path = '', date = '', ...more] = line.split(',', 3).map(readCell)
    if (more.length) continue
    const [url, said] = [documentUrl(folder, path), stampOrNull(date)]
    const at = said && said.slice(0, 10) > today.slice(0, 10) ? today : said
    if (url && at && at > (newest.get(url)?.date ?? '')) newest.set(url, { url, date: at })
  }
  return [...newest.values()].toSorted(newestFirst)
}

/** Without its quotes. */
const readCell = (cell: string) => cell.trim().replace(/^"|"$/g, '')

const newestFirst = (a: DocumentChange, b: DocumentChange) => compareText(b.date, a.date) || compareText(b.url, a.url)

export const isAfter = (one: DocumentChange, other: DocumentChange) => newestFirst(one, other) > 0

const maxPath = 1_000

/** The address of a document below the folder; null for a path that leaves the folder or is no document. */
function documentUrl(folder: string, path: string): string | null {
  if (path.length > maxPath) return null
  const parts = path.split('/')
  if (!path.endsWith('.json') || parts.includes('..') || parts.includes('') || path.includes(':')) return null
  const overlap = parts.findLastIndex((_, at) => folder.endsWith(`/${parts.slice(0, at + 1).join('/')}`)) + 1
  return `${folder}/${parts.slice(overlap).map(encodeURIComponent).join('/')}`
}

function stampOrNull(date: string) {
  try {
    return utcStamp(date)
  } catch {
    return null
  }
}
