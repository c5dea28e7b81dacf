import type { Order } from './order'

/** Commits have no order: the same one is equal, also where one of them is abbreviated, and no other can be compared. */
export const git: Order<string> = {
  parse: (text) => /^[\da-f]{7,64}$/.exec(text.trim().toLowerCase())?.[0] ?? null,
  compare: (a, b) => (a.startsWith(b) || b.startsWith(a) ? 0 : null),
}
