import type { Order } from './order'

/** For packages whose order is not known here: the same text is the same version, and of two others none is lower. */
export const unordered: Order<string> = {
  parse: (text) => text.trim() || null,
  compare: (a, b) => (a === b ? 0 : null),
}
