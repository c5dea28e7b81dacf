import { compareDigits, compareEach, type Order } from './order'

/** Numbers one by one; the shorter of two that begin alike is the lower: 1.8 < 1.8.0. */
const numbers = (pattern: RegExp): Order<string[]> => ({
  parse: (text) => (pattern.test(text.trim()) ? (text.match(/\d+/g) ?? []) : null),
  compare: (a, b) =>
    compareEach(a, b, (one, other) =>
      one === undefined || other === undefined ? (one === undefined ? -1 : 1) : compareDigits(one, other),
    ),
})

/** R: numbers between dots or hyphens (Writing R Extensions, "The DESCRIPTION file"; `package_version`). */
export const cran = numbers(/^\d+(?:[.-]\d+)*$/)

/** Hackage: numbers between dots (Haskell Package Versioning Policy, section 2; Cabal's `Version`). */
export const hackage = numbers(/^\d+(?:\.\d+)*$/)
