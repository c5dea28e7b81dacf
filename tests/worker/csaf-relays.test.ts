import { expect, test } from 'vitest'
import { isOwnFolder } from '../../worker/feeds/csaf/provider'
import { aCsaf } from '../support/csaf'
import { eachTest } from './support/each-test'
import { aCsafScene, cert, vendor } from './support/csaf-scene'

const scene = eachTest(aCsafScene)

test("no document speaks for a publisher whose own folder is read: it replaces and withdraws nothing, and others' words are relayed", async () => {
  const { publish, sync, world } = scene
  const by = (namespace: string) => ({ publisher: { category: 'vendor', name: 'Whoever', namespace } })
  const [own, relayed] = [by('https://www.vendor.test/'), by('https://third.example/')]
  publish(vendor, [['2026/v-1.json', '2026-11-01T00:00:00Z', aCsaf({ id: 'V-1', title: 'Bad flaw', document: own })]])
  await sync()
  publish(cert, [
    ['2026/false.json', '2026-11-12T00:00:00Z', aCsaf({ id: 'V-1', title: 'All is well', document: own })],
    ['2026/gone.json', '2026-11-13T00:00:00Z', aCsaf({ id: 'V-1', tlp: 'RED', document: own })],
    ['2026/third.json', '2026-11-11T00:00:00Z', aCsaf({ id: 'T-1', title: 'Relayed', document: relayed })],
  ])
  expect(await sync()).toMatchObject({ state: 'idle', skipped: 2 })
  expect(await world.sql`SELECT publicid, source, title FROM bulletins ORDER BY 1`).toEqual([
    { publicid: 'FIRST', source: 'cert', title: 'First' },
    { publicid: 'T-1', source: 'third', title: 'Relayed' },
    { publicid: 'V-1', source: 'vendor', title: 'Bad flaw' },
  ])
})

test('no relay puts an older copy in the place of a newer one, nor withdraws it by one, and the own folder of a publisher goes before all', async () => {
  const { publish, sync, titles, world } = scene
  const document = { publisher: { category: 'vendor', name: 'Third', namespace: 'https://third.example/' } }
  const of = (title: string, modified: string, more: object = {}) =>
    aCsaf({ id: 'T-1', document, title, modified, ...more })
  const seen = async () => (await titles()).filter((title) => title !== 'First')
  publish(vendor, [['2026/t.json', '2026-11-10T00:00:00Z', of('Corrected', '2026-11-09T00:00:00Z')]])
  await sync()
  publish(cert, [
    ['2026/old.json', '2026-11-11T00:00:00Z', of('Old', '2026-11-02T00:00:00Z')],
    ['2026/gone.json', '2026-11-12T00:00:00Z', of('Gone', '2026-11-03T00:00:00Z', { tlp: 'RED' })],
  ])
  expect([await sync(), await seen()]).toMatchObject([{ state: 'idle', skipped: 2 }, ['Corrected']])

  // Any relay may be the first to have the next one, whatever order it lists its copies in.
  publish(cert, [
    ['2026/next.json', '2026-11-14T00:00:00Z', of('Next', '2026-11-13T00:00:00Z')],
    ['2026/copy.json', '2026-11-13T00:00:00Z', of('Copy', '2026-11-12T00:00:00Z')],
  ])
  expect([await sync(), await seen()]).toMatchObject([{ skipped: 0 }, ['Next']])

  const tracked = (title: string, version: string, modified: string) => {
    const { tracking } = of(title, modified).document
    return aCsaf({ id: 'T-1', title, document: { ...document, tracking: { ...tracking, version } } })
  }
  publish(vendor, [['2026/t.json', '2026-11-14T06:00:00Z', tracked('Second', '2', '2026-11-10T00:00:00Z')]])
  await sync()
  publish(cert, [
    ['2026/ahead.json', '2026-11-14T07:00:00Z', tracked('Ahead', '2', '2099-01-01T00:00:00Z')],
    ['2026/first.json', '2026-11-14T08:00:00Z', tracked('Late', '1', '2026-11-10T00:00:00Z')],
  ])
  expect([await sync(), await seen()]).toMatchObject([{ skipped: 2 }, ['Second']])
  // The publisher counts by semantic versions from now on.
  publish(cert, [['2026/anew.json', '2026-11-14T09:00:00Z', tracked('Anew', '1.0.0', '2026-11-14T01:00:00Z')]])
  expect([await sync(), await seen()]).toMatchObject([{ skipped: 0 }, ['Anew']])

  const own = 'https://csaf.third.example'
  Object.assign(world.env, { CSAF_URL: `${cert} ${vendor} ${own}` })
  publish(own, [['2026/t.json', '2026-11-15T00:00:00Z', of('Own', '2026-11-08T00:00:00Z')]])
  await sync()
  expect(await seen()).toEqual(['Own'])
})

test('no relay brings back what another one said that its publisher withdrew, before or after, until a newer edition is public', async () => {
  const { publish, sync, titles } = scene
  const publisher = { category: 'vendor', name: 'Third', namespace: 'https://third.example/' }
  const of = (title: string, version: string, more: object = {}) => {
    const { tracking } = aCsaf({ id: 'T-1', modified: `2026-11-0${version}T00:00:00Z` }).document
    return aCsaf({ id: 'T-1', title, document: { publisher, tracking: { ...tracking, version } }, ...more })
  }
  const seen = async () => (await titles()).filter((title) => title !== 'First')
  const red = { tlp: 'RED' }
  // Both in one step, in the wrong order.
  publish(vendor, [
    ['2026/two.json', '2026-11-10T00:00:00Z', of('Second', '2')],
    ['2026/one.json', '2026-11-11T00:00:00Z', of('Gone', '1', red)],
  ])
  await sync()
  expect(await seen()).toEqual(['Second'])
  publish(vendor, [['2026/three.json', '2026-11-12T00:00:00Z', of('Third', '3', red)]])
  await sync()
  expect(await seen()).toEqual([])
  publish(cert, [
    ['2026/late.json', '2026-11-12T00:00:00Z', of('Late', '2')],
    ['2026/same.json', '2026-11-13T00:00:00Z', of('Same', '3')],
  ])
  expect([await sync(), await seen()]).toMatchObject([{ state: 'idle', skipped: 2 }, []])
  publish(cert, [['2026/new.json', '2026-11-14T00:00:00Z', of('Public again', '4')]])
  await sync()
  publish(vendor, [['2026/old.json', '2026-11-14T00:00:00Z', of('Older', '3', red)]])
  await sync()
  expect(await seen()).toEqual(['Public again'])
})

test('a version or a withdrawal that no edition of the publisher reaches holds no later one back, wherever it is relayed', async () => {
  const { publish, sync, titles } = scene
  const publisher = { category: 'vendor', name: 'Third', namespace: 'https://third.example/' }
  const of = (title: string, version: string, day: number, more: object = {}) => {
    const { tracking } = aCsaf({ id: 'T-1', modified: `2026-11-${day}T00:00:00Z` }).document
    return aCsaf({ id: 'T-1', title, document: { publisher, tracking: { ...tracking, version } }, ...more })
  }
  const seen = async () => (await titles()).filter((title) => title !== 'First')
  const say = async (folder: string, day: number, document: unknown) => {
    publish(folder, [['2026/t.json', `2026-11-${day}T06:00:00Z`, document]])
    const feed = await sync()
    return [feed?.skipped, ...(await seen())]
  }
  expect(await say(vendor, 10, of('First edition', '1', 10))).toEqual([0, 'First edition'])
  expect(await say(cert, 11, of('Invented', '99', 11))).toEqual([0, 'Invented'])
  expect(await say(vendor, 12, of('Second edition', '2', 12))).toEqual([0, 'Second edition'])
  expect(await say(cert, 13, of('Gone', '99', 13, { tlp: 'RED' }))).toEqual([1])
  expect(await say(vendor, 14, of('Late copy', '2', 12))).toEqual([1])
  expect(await say(vendor, 15, of('Third edition', '3', 14))).toEqual([0, 'Third edition'])
  // An earlier withdrawal counts no more.
  expect(await say(cert, 16, of('Older', '2', 12))).toEqual([1, 'Third edition'])
  expect(await say(cert, 17, of('Dated back', '4', 13))).toEqual([0, 'Dated back'])
})

test.each([
  ['https://raw.githubusercontent.com/cisagov/CSAF/develop/csaf_files/OT/white', 'cisa', true],
  ['https://raw.githubusercontent.com/evil/cisagov/main', 'cisa', false],
  ['https://security.access.redhat.com/data/csaf/v2/advisories', 'redhat', true],
  ['https://security.access.redhat.com/data/csaf/v2/advisories', 'cisa', false],
  ['https://redhat.evil.example/csaf', 'redhat', false],
])('%s is the folder of %s: %s', (folder, publisher, isOwn) => expect(isOwnFolder(folder, publisher)).toBe(isOwn))
