import type { Bounds } from '../words/record'

/** The last of the branch in which a range ends before a version: `2.12.*` for `< 2.12.2`, 1.1.1g itself for `< 1.1.1g`. */
export function findBranchEnd({ lt }: Bounds) {
  const branch = lt === undefined ? '' : findBranch(lt)
  return branch.endsWith('.x') ? branch.replace(/x$/, '*') : lt
}

/** 3.5.x for 3.5.4, 1.1.1x for 1.1.1k, 9.x for 9.3; a version of one number is its own branch, a name before it with it: r2 for "r2 sp1". */
export function findBranch(version: string) {
  const [, name = '', numbers = '', letter] = /^([a-z]{0,2})\.?(\d+(?:\.\d+)*)([a-z](?![a-z\d]))?/i.exec(version) ?? []
  if (letter) return `${numbers}x`
  const parts = numbers.split('.')
  if (parts.length === 1) return (name.toLowerCase() === 'v' ? '' : name) + numbers || version
  return `${parts.slice(0, Math.min(parts.length - 1, 2)).join('.')}.x`
}
