import type { Order } from './order'

/** Types of packages whose versions have an order of their own that nobody wrote here, and how people call them. */
export const unorderedTypes = new Map([
  ['conan', 'Conan'],
  ['ebuild', 'Gentoo'],
])

/** For packages whose order is not known here: the same text is the same version, and of two others none is lower. */
export const sameText: Order<string> = { parse: (text) => text.trim() || null, compare: (a, b) => (a === b ? 0 : null) }
