import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, matchesGlob, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { parts as benchParts } from './bench/figures'
import { root } from '../scripts/start/options'
import { listSourceFiles } from './support/sources'

const read = (file: string) => readFileSync(join(root, file), 'utf8')

function measureRooms() {
  const rooms = new Map<string, number>()
  for (const file of ['worker', 'web', 'scripts'].flatMap(listSourceFiles)) {
    const [side = '', room = ''] = file.split('/')
    const name = side === 'scripts' || room.includes('.') ? side : `${side}/${room}`
    rooms.set(name, (rooms.get(name) ?? 0) + read(file).split('\n').length)
  }
  return rooms
}

// Its line in the README is written anew, with a reason to the reviewer, when a room has become another one.
test('no room has grown by a third beyond the size that the README tells', () => {
  const rooms = measureRooms()
  const told = new Map(
    [...read('worker/README.md').matchAll(/^\| `([\w/]+)` +\| +([\d,]+) +\|/gm)].map(
      ([, room = '', lines = '']) => [room, Number(lines.replaceAll(',', ''))] as const,
    ),
  )
  console.info([...rooms].map(([room, lines]) => `${room} ${lines}`).join(' · '))
  const grown = [...rooms].filter(([room, lines]) => lines > 500 && lines > ((told.get(room) ?? 0) * 4) / 3)
  expect(grown).toEqual([])
  expect([...told.keys()].filter((room) => !rooms.has(room))).toEqual([])
})

const sides = ['worker', 'web', 'scripts', 'tests', 'migrations', '.ci', '.github']
const files = sides.flatMap((side) =>
  readdirSync(join(root, side), { recursive: true, encoding: 'utf8' }).map((path) => `${side}/${path}`),
)
const topLevel = readdirSync(root)

const withoutEnding = (path: string) => path.replace(/\/$|(?:\.test)?\.\w+$/, '')

// A README names a file or folder from the root, from its own room, or by the end of its path.
const known = new Set(
  [...files, ...topLevel].flatMap((path) => {
    const parts = withoutEnding(path).split('/')
    return parts.map((_, from) => parts.slice(from).join('/'))
  }),
)

const isKnown = (path: string) =>
  known.has(withoutEnding(path)) || [...known].some((one) => matchesGlob(one, withoutEnding(path)))

test('every file that a README names exists', () => {
  const missing = [...files, ...topLevel]
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) => {
      const text = read(file)
      const links = [...text.matchAll(/\]\(([^)#\s:]+)\)/g)].map(([, link = '']) =>
        normalize(join(dirname(file), link)),
      )
      const paths = [
        ...text.matchAll(
          /`(?:\.{1,2}\/)*((?:[\w-][\w.-]*\/)+[\w*-][\w.*-]*\.(?:tsx?|mjs|json|toml|sql|md)|(?:worker|web|scripts|tests)\/[\w./*-]+)`/g,
        ),
      ].map(([, path = '']) => path)
      return [...links, ...paths].filter((path) => !isKnown(path)).map((path) => `${file}: ${path}`)
    })
  expect(missing).toEqual([])
})

test('the README of the bench stands as its run writes it', () => {
  const text = read('tests/bench/README.md')
  expect(
    Object.entries(benchParts).filter(([name, why]) => text.includes(`## ${name},`) && !text.includes(why)),
  ).toEqual([])
})
