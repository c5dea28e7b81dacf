import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { findCycles } from './support/cycles'
import { findTwins } from './support/exports'
import { root } from '../scripts/start/options'
import { listImports, listSourceFiles, listStanding, type Import } from './support/sources'

// Imports point left, from floor to floor; two features of one floor never import each other.
const workerFloors = [
  ['env', 'domain'],
  ['db', 'archives'],
  ['http'],
  ['schema'],
  ['mail'],
  ['auth', 'watchlist', 'taxonomy'],
  ['exposure'],
  ['decisions'],
  ['merge', 'monitoring', 'census'],
  ['orgs', 'vulns', 'ratings'],
  ['account', 'alerts', 'exploits', 'views', 'editing', 'kb', 'inventories'],
  ['newsletter', 'atom', 'backups', 'cra'],
  ['feeds', 'triage', 'packages', 'home', 'search', 'public', 'docs'],
  ['objectives', 'transfer'],
  ['jobs', 'features'],
  ['app'],
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
const webFloors = [
  ['lib', 'worker-pages'],
  ['ui', 'session'],
  ['theme', 'layout', 'auth', 'alerts', 'decisions', 'reports', 'ratings', 'views', 'catalog', 'watchlist'],
  ['settings', 'exploits'],
  ['vulns'],
  ['kb', 'monitoring', 'help', 'inventories', 'cra'],
  ['home'],
  ['search'],
  ['palette'],
  ['prefetch', 'early'],
  ['router'],
  ['main'],
]
const webMayImport = /^worker\/(\w+\/(\w+\/)?(\w+-)?contract|domain\/[\w/-]+|http\/page)$/
const notModules = [
  'worker/drizzle.config.ts',
  'worker/wasm.d.ts',
  'web/vite.config.ts',
  ...'chunks joined-icons named-colours lean-contracts service-worker worker-pages/build'
    .split(' ')
    .map((name) => `web/${name}.ts`),
]
const topLevel =
  '.ci .dev.vars.example .github .gitignore .oxfmtrc.json .oxlintrc.json LICENSE README.md migrations package-lock.json package.json scripts tests tsconfig.json web worker wrangler.toml'.split(
    ' ',
  )
const vague = /^(utils?|helpers?|common|types?|constants?|misc|shared)$/

const listModules = (folder: string) => listSourceFiles(folder).filter((file) => !notModules.includes(file))
const everywhere = ['scripts', 'tests', 'web', 'worker'].flatMap(listSourceFiles)
const importsIn = (folder: string) => listModules(folder).flatMap(listImports)
const shown = ({ from, to }: Import) => `${from} → ${to}`

test.each([
  ['worker', workerFloors],
  ['web', webFloors],
])('imports of %s point left, and no two features of a floor import each other', (side, floors) => {
  const floor = (path: string) => floors.findIndex((names) => names.includes(placeIn(side, path)))
  const isOwn = ({ from, to }: Import) => placeIn(side, from) === placeIn(side, to)
  const wrong = importsIn(side).filter(
    (found) => found.to.startsWith(`${side}/`) && !isOwn(found) && floor(found.from) <= floor(found.to),
  )
  expect(wrong.map(shown)).toEqual([])
  expect(listModules(side).filter((file) => floor(file) === -1)).toEqual([])
})

test('rooms of the feeds import only from rooms before them, and a family knows no other', () => {
  const findRoom = (path: string) => placeIn('worker/feeds', path)
  const findLevel = (path: string) => feedRooms.findIndex((names) => names.includes(findRoom(path)))
  const inFeeds = importsIn('worker/feeds').filter(({ to }) => to.startsWith('worker/feeds/'))
  expect(inFeeds.length).toBeGreaterThan(100)
  const wrong = inFeeds.filter(({ from, to }) => findRoom(from) !== findRoom(to) && findLevel(from) <= findLevel(to))
  expect(wrong.map(shown)).toEqual([])
  expect(listModules('worker/feeds').filter((file) => findLevel(file) === -1)).toEqual([])
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

// worker/vulns/mail.ts belongs to vulns, worker/jobs.ts to jobs.
const placeIn = (side: string, path: string) => path.slice(side.length + 1).split(/[/.]/)[0] ?? ''

test.each(['worker', 'web'])('no features of %s import each other in a circle', (side) => {
  const feature = (path: string) => (path.startsWith(`${side}/`) ? placeIn(side, path) : undefined)
  expect(findCycles(importsIn(side), feature)).toEqual([])
})

// Files beside the rooms are what the rooms share; routes and pages put them together.
test.each(['worker/alerts', 'worker/auth', 'worker/orgs', 'worker/inventories', 'web/home', 'web/vulns', 'web/kb'])(
  'no rooms of %s import each other in a circle',
  (feature) => {
    const room = (path: string) =>
      path.startsWith(`${feature}/`) && !/\b(routes\.ts|page\.tsx)$/.test(path)
        ? (roomIn(feature, path) ?? 'shared')
        : undefined
    expect(findCycles(importsIn(feature), room)).toEqual([])
  },
)

const roomIn = (feature: string, path: string) => /^([^/]+)\//.exec(path.slice(feature.length + 1))?.[1]

test('the words of the field depend on nothing else of ours', () => {
  const ours = listSourceFiles('worker/domain')
    .flatMap(listImports)
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

// Of `{ z }` a bundler keeps all: a third of a megabyte that each isolate reads.
test('zod is imported as a namespace', () => {
  expect(everywhere.filter((file) => /^import .*\{ z \}/m.test(readFileSync(`${root}${file}`, 'utf8')))).toEqual([])
})

test('an exported name means one thing in the whole code base', () => {
  expect(findTwins(['worker', 'web', 'scripts', 'tests'].flatMap(listSourceFiles))).toEqual([])
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

test('a function is named by what it does', () => {
  const named = everywhere.flatMap(
    (file) => readFileSync(`${root}${file}`, 'utf8').match(/\b(?:function\*?|const) \w+Of\b/g) ?? [],
  )
  expect(named).toEqual([])
})

test('a key that comes from outside never names a property of an empty object', () => {
  const assigned = listSourceFiles('worker').flatMap((file) => {
    const text = readFileSync(`${root}${file}`, 'utf8')
    return [...text.matchAll(/^ *(?:const|let) (\w+)(?:: [^=\n]+)? = \{\}(?: as [^\n]+)?$/gm)].flatMap(
      ([, name = '']) =>
        new RegExp(String.raw`\b${name}\[[^\]'"\`]+\] *(?:=[^=>]|\?\?=|\|\|=)`).test(text) ? [`${file} ${name}`] : [],
    )
  })
  expect(assigned).toEqual(ownKeys)
})

test('a statement is written with the builder or a template, and prepared in one room', () => {
  const preparing = listSourceFiles('worker').filter((file) =>
    readFileSync(`${root}${file}`, 'utf8').includes('.prepare('),
  )
  expect(preparing).toEqual(['worker/db/bulk.ts', 'worker/db/meter.ts', 'worker/db/statement.ts'])
})

test('random values cannot be guessed', () => {
  const guessable = listSourceFiles('worker').filter((file) =>
    readFileSync(`${root}${file}`, 'utf8').includes('Math.random'),
  )
  // How long a delivery waits is no secret.
  expect(guessable).toEqual(['worker/alerts/deliver/lanes.ts'])
})

// `table['constructor']` is a function, so a table for words from outside must be a Map.
test('a lookup table for any word is a Map, not an object', () => {
  const tables = listSourceFiles('worker').flatMap((file) => {
    const text = readFileSync(`${root}${file}`, 'utf8')
    const open = [...text.matchAll(/^(?:export )?const (\w+): (?:Readonly<)?Record<string,/gm)]
    const cast = [...text.matchAll(/\b(\w+)\[\w+ as keyof typeof \1\]/g), ...text.matchAll(/\(\w+ in (\w+)\)/g)]
    const isLookedUp = (name: string) => new RegExp(String.raw`\b${name}\[[^\]'"]`).test(text)
    return [...open.filter(([, name = '']) => isLookedUp(name)), ...cast].map(([, name = '']) => `${file} ${name}`)
  })
  expect(tables).toEqual([])
})

/** Objects whose keys are our own words, each tested before. */
const ownKeys = ['worker/domain/scores/rating-vector.ts metrics', 'worker/domain/words/merge.ts provenance']

// Public columns of a vulnerability follow from its records: the next merge would overrule any other writer.
const truth =
  'vulns vuln_products vuln_packages affected affected_packages guesses vuln_records vuln_changes vuln_aliases epss_history epss_rises epss_scores'.split(
    ' ',
  )
const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
const inSql = new RegExp(
  `\\b(?:insert (?:or \\w+ )?into|update(?: or \\w+)?|delete from) "?(?:(?:${truth.join('|')})\\b|\\$\\{(?:${truth.map(camel).join('|')})\\})`,
  'i',
)
const inBuilder = new RegExp(`\\.(?:insert|update|delete)\\((?:${truth.map(camel).join('|')})\\)`)
const writesTruth = (text: string) => inSql.test(text) || inBuilder.test(text)

test('only the merge writes the truth about vulnerabilities', () => {
  const writers = listSourceFiles('worker').filter((file) => writesTruth(readFileSync(`${root}${file}`, 'utf8')))
  expect(writers.filter((file) => !file.startsWith('worker/merge/'))).toEqual([])
  expect(writers.length).toBeGreaterThan(2)
  for (const text of [
    'UPDATE vulns SET',
    'DELETE FROM ${vulnRecords} WHERE',
    'insert or replace into "affected"(',
    '.delete(vulnRecords)',
  ])
    expect([text, writesTruth(text)]).toEqual([text, true])
  for (const text of ['insert into vulns_fts(', '.insert(decisions)', 'delete from monitored_vulns'])
    expect([text, writesTruth(text)]).toEqual([text, false])
})

test('exploits and threats are written by the merge, and private ones by their feature', () => {
  const statement =
    /\b(?:insert (?:or \w+ )?into|update|delete from) (?:exploits|threats|exploitation_claims)\b|\.(?:insert|update|delete)\((?:exploits|threats|exploitationClaims)\)/i
  const writers = listSourceFiles('worker').filter((file) => statement.test(readFileSync(`${root}${file}`, 'utf8')))
  expect(writers.filter((file) => !/^worker\/(merge|exploits)\//.test(file))).toEqual([])
})

test('each index has a reader and each trigger a reason in the README of the schema, and stays within its bound', () => {
  const sql = readdirSync(`${root}migrations`)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => readFileSync(`${root}migrations/${file}`, 'utf8'))
    .join('\n')
  const [indexes, triggers] = [listStanding(sql, 'index'), listStanding(sql, 'trigger')]
  expect(indexes.length).toBeGreaterThan(50)
  expect(indexes.length).toBeLessThanOrEqual(75)
  expect(triggers.length).toBeLessThanOrEqual(8)

  const readme = readFileSync(`${root}worker/schema/README.md`, 'utf8')
  const section = (title: string) => readme.split(/^## /m).find((part) => part.startsWith(title)) ?? ''
  const rows = section('Indexes').matchAll(/^\| `(\w+)` +\| `(\w+)` +\| (.{5,}) \|$/gm)
  const listed = [...rows].map(([, table, name, reader = '']) => ({ table, name, reader }))
  expect(listed.map(({ name }) => name).toSorted()).toEqual(indexes.toSorted())
  const misplaced = listed.filter(({ table, name }) => !new RegExp(`index \`${name}\` on \`${table}\``, 'i').test(sql))
  expect(misplaced).toEqual([])
  const places = listed.flatMap(({ reader }) => namesIn(reader, /`(\w+\/[\w/-]+)`/g))
  expect(
    places.filter((place) => !existsSync(`${root}worker/${place}`) && !existsSync(`${root}worker/${place}.ts`)),
  ).toEqual([])
  expect(namesIn(section('Triggers'), /`(\w+_fts_\w+)`/g).toSorted()).toEqual(triggers.toSorted())
})

// A table that was made anew has its indexes again.
const namesIn = (text: string, pattern: RegExp) => [
  ...new Set([...text.matchAll(pattern)].flatMap(([, name]) => name ?? [])),
]
