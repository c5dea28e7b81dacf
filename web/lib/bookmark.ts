const storageKey = 'EarshotSeen'
const header = 'x-d1-bookmark'

/** What this browser has seen of the database, in all tabs: a copy of it that answers must know as much. `early.ts` reads it, too. */
export function addBookmark(headers: Headers) {
  const seen = localStorage.getItem(storageKey)
  if (seen) headers.set(header, seen)
  return seen
}

/** Answers may come in another order than the calls; one that knows less than its call went by tells of another database. */
export function keepBookmark({ headers }: Response, sent: string | null) {
  const answered = headers.get(header)
  const seen = localStorage.getItem(storageKey) ?? ''
  if (answered && (answered > seen || (sent !== null && answered < sent))) localStorage.setItem(storageKey, answered)
}
