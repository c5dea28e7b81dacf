import { expect, test } from 'vitest'
import { cyclesBetween } from './support/cycles'

const edges = (...pairs: string[]) =>
  pairs.map((pair) => {
    const [from = '', to = ''] = pair.split('>')
    return { from, to, because: pair }
  })

test('a tree and a diamond have no circle', () => {
  expect(cyclesBetween(edges('a>b', 'a>c', 'b>d', 'c>d'))).toEqual([])
})

test('a circle is told once, with the imports that close it, however long it is', () => {
  expect(cyclesBetween(edges('a>b', 'b>a', 'a>z'))).toEqual(['a, b: a>b; b>a'])
  expect(cyclesBetween(edges('x>a', 'a>b', 'b>c', 'c>a'))).toEqual(['a, b, c: a>b; b>c; c>a'])
})

test('two circles are two findings', () => {
  expect(cyclesBetween(edges('a>b', 'b>a', 'b>c', 'c>d', 'd>c'))).toHaveLength(2)
})
