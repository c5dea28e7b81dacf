import { readFileSync, readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { importsOf, root, sourcesOf } from './support/sources'
import type { Import } from './support/sources'

// Imports point left, from floor to floor; two features of one floor know nothing of each other.
const workerFloors = [
  ['env', 'domain'],
  ['db'],
  ['http'],
  ['schema'],
  ['mail'],
  ['auth', 'watchlist', 'taxonomy'],
  ['merge'],
  ['orgs', 'vulns', 'monitoring', 'ratings'],
  ['account', 'alerts', 'exploits', 'views', 'editing', 'kb'],
  ['feeds', 'triage', 'packages', 'home', 'search', 'public'],
  ['jobs', 'app'],
  ['index'],
]
// Inside the feeds; families, too, know nothing of each other.
const feedRooms = [
  ['read', 'contract'],
  ['source'],
  ['cve5', 'nvd', 'csaf', 'osv', 'redhat', 'exploits', 'taxonomy', 'signals'],
  ['run'],
  ['routes'],
]
const webLevels = [
  ['lib', 'ui'],
  ['session'],
  [
    'auth',
    'home',
    'vulns',
    'views',
    'exploits',
    'kb',
    'monitoring',
    'ratings',
    'alerts',
    'settings',
    'search',
    'help',
    'theme',
    'layout',
  ],
  ['router'],
  ['main'],
]
const webMayImport = /^worker\/(\w+\/(\w+\/)?(\w+-)?contract|domain\/[\w/-]+|http\/page)$/
const notModules = ['worker/drizzle.config.ts', 'worker/wasm.d.ts', 'web/vite.config.ts']
const topLevel =
  '.ci .github .gitignore .oxfmtrc.json .oxlintrc.json LICENSE README.md migrations package-lock.json package.json scripts tests tsconfig.json web worker wrangler.toml'.split(
    ' ',
  )
const vague = /^(utils?|helpers?|common|types?|constants?|misc|shared)$/

const modulesOf = (folder: string) => sourcesOf(folder).filter((file) => !notModules.includes(file))
const everywhere = ['scripts', 'tests', 'web', 'worker'].flatMap(sourcesOf)
const importsIn = (folder: string) => modulesOf(folder).flatMap(importsOf)
const shown = ({ from, to }: Import) => `${from} → ${to}`

test('imports of the worker point left, and no two features of a floor import each other', () => {
  const floorOf = (path: string) => workerFloors.findIndex((names) => names.includes(placeIn('worker', path)))
  const isOwn = ({ from, to }: Import) => placeIn('worker', from) === placeIn('worker', to)
  const wrong = importsIn('worker').filter(
    (one) => one.to.startsWith('worker/') && !isOwn(one) && floorOf(one.from) <= floorOf(one.to),
  )
  expect(wrong.map(shown)).toEqual([])
  expect(modulesOf('worker').filter((file) => floorOf(file) === -1)).toEqual([])
})

test('rooms of the feeds import only from rooms before them, and a family knows no other', () => {
  const roomOf = (path: string) => placeIn('worker/feeds', path)
  const levelOf = (path: string) => feedRooms.findIndex((names) => names.includes(roomOf(path)))
  const inFeeds = importsIn('worker/feeds').filter(({ to }) => to.startsWith('worker/feeds/'))
  expect(inFeeds.length).toBeGreaterThan(100)
  const wrong = inFeeds.filter(({ from, to }) => roomOf(from) !== roomOf(to) && levelOf(from) <= levelOf(to))
  expect(wrong.map(shown)).toEqual([])
  expect(modulesOf('worker/feeds').filter((file) => levelOf(file) === -1)).toEqual([])
})

test('a feed is named by its family and the registry alone', () => {
  const families = feedRooms[2] ?? []
  const importers = importsIn('worker').filter(
    ({ from, to }) =>
      families.some((family) => to.startsWith(`worker/feeds/${family}/`)) &&
      !families.some((family) => from.startsWith(`worker/feeds/${family}/`)),
  )
  expect([...new Set(importers.map(({ from }) => from))]).toEqual(['worker/feeds/run/registry.ts'])
})

test.each([['web', webLevels]])('imports of %s point left', (side, levels) => {
  const levelOf = (path: string) => levels.findIndex((names) => names.includes(placeIn(side, path)))
  const wrong = importsIn(side).filter(({ from, to }) => to.startsWith(`${side}/`) && levelOf(from) < levelOf(to))
  expect(wrong.map(shown)).toEqual([])
  expect(modulesOf(side).filter((file) => levelOf(file) === -1)).toEqual([])
})

// worker/vulns/queries.ts belongs to vulns, worker/jobs.ts to jobs.
const placeIn = (side: string, path: string) => path.slice(side.length + 1).split(/[/.]/)[0] ?? ''

test('the words of the field depend on nothing else of ours', () => {
  const ours = sourcesOf('worker/domain')
    .flatMap(importsOf)
    .filter(({ to }) => /^(worker|web|scripts|tests)\//.test(to))
  expect(ours.filter(({ to }) => !to.startsWith('worker/domain/')).map(shown)).toEqual([])
})

test('the web takes from the worker contracts, words of the field, page sizes and the type of an endpoint', () => {
  const isAllowed = ({ to, isType }: Import) => webMayImport.test(to) || (isType && to === 'worker/http/endpoint')
  const taken = importsIn('web').filter(({ to }) => to.startsWith('worker/'))
  expect(taken.filter((one) => !isAllowed(one)).map(shown)).toEqual([])
})

test('the worker knows nothing of the web, and neither knows the tests or the scripts', () => {
  const strange = { worker: /^(web|tests|scripts)\//, web: /^(tests|scripts)\// }
  const wrong = Object.entries(strange).flatMap(([side, others]) => importsIn(side).filter(({ to }) => others.test(to)))
  expect(wrong.map(shown)).toEqual([])
})

test('the web runs in a browser', () => {
  expect(
    importsIn('web')
      .filter(({ to }) => to.startsWith('node:'))
      .map(shown),
  ).toEqual([])
})

test('a module is imported by its file, not through a barrel', () => {
  const barrels = everywhere.filter((file) => /^index\.tsx?$/.test(basename(file)) && file !== 'worker/index.ts')
  const passedOn = everywhere.filter((file) => /^export \* /m.test(readFileSync(`${root}${file}`, 'utf8')))
  expect(barrels.concat(passedOn)).toEqual([])
})

test('a file is named by its topic', () => {
  expect(everywhere.filter((file) => file.split('/').some((part) => vague.test(part.split('.')[0] ?? '')))).toEqual([])
})

test('the top level holds only what a newcomer needs to see', () => {
  const ignored = readFileSync(`${root}.gitignore`, 'utf8').split('\n').map(namePattern)
  const names = readdirSync(root).filter((name) => name !== '.git' && !ignored.some((one) => one.test(name)))
  expect(names.filter((name) => !topLevel.includes(name))).toEqual([])
})

const namePattern = (line: string) =>
  new RegExp(
    `^${line
      .replace(/\/$/, '')
      .replaceAll('.', String.raw`\.`)
      .replaceAll('*', '.*')}$`,
  )

/** Rooms where an endpoint and the function behind it, or two functions, have yet to get names of their own. */
const twinsToRename =
  'Change Cve5Affected CvssMetric Registration Scope Source acceptInvitation acceptTrial admit affectedOf createOrg getOrgInfo inviteUsers nameOf plainText recordsOf removeOrg resetUserPassword setTrial sourceOf spanOf startTrial updateUser wordsOf'.split(
    ' ',
  )

test('an exported name of the worker means one thing', () => {
  const places = new Map<string, Set<string>>()
  for (const file of sourcesOf('worker'))
    for (const [, name = ''] of readFileSync(`${root}${file}`, 'utf8').matchAll(exported))
      places.set(name, (places.get(name) ?? new Set()).add(file))
  const twins = [...places].flatMap(([name, files]) => (files.size > 1 ? [name] : []))
  expect(twins.filter((name) => !twinsToRename.includes(name))).toEqual([])
})

const exported = /^export (?:const|let|function|async function|function\*|type|class|interface) (\w+)/gm

test('a key that comes from outside never names a property of an empty object', () => {
  const assigned = sourcesOf('worker').flatMap((file) => {
    const text = readFileSync(`${root}${file}`, 'utf8')
    return [...text.matchAll(/^ *(?:const|let) (\w+)(?:: [^=\n]+)? = \{\}(?: as [^\n]+)?$/gm)].flatMap(
      ([, name = '']) =>
        new RegExp(String.raw`\b${name}\[[^\]'"\`]+\] *(?:=[^=>]|\?\?=|\|\|=)`).test(text) ? [`${file} ${name}`] : [],
    )
  })
  expect(assigned).toEqual(ownKeys)
})

/** Objects whose keys are our own words, each tested before. */
const ownKeys = ['worker/domain/merge.ts provenance', 'worker/domain/rating-vector.ts metrics']
