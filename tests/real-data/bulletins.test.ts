import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { toBulletin } from '../../worker/feeds/csaf/bulletin'
import { lines } from '../../worker/feeds/read/lines'
import { toStream } from '../support/exploits'
import { readChanges } from '../../worker/feeds/csaf/changes'
import { CsafDocument, isPublic } from '../../worker/feeds/csaf/document'
import { BulletinBody } from '../../worker/kb/bulletins/contract'
import { realFeeds } from '../support/real-data'

// Every CSAF document that stands beside the repository, through the same door as in the product.
const mirror = new URL('csaf/', realFeeds)

const readBytes = (path: string) => readFileSync(new URL(path, mirror))
const jsonIn = (path: string) =>
  JSON.parse((path.endsWith('.gz') ? gunzipSync(readBytes(path)) : readBytes(path)).toString()) as unknown
const filesIn = (folder: string) =>
  readdirSync(new URL(folder, mirror), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.json(\.gz)?$/.test(name),
  )

const cisa = () =>
  ['cisa/OT/white/', 'cisa/IT/white/'].flatMap((folder) =>
    readdirSync(new URL(folder, mirror))
      .filter((name) => /^\d{4}\.json\.gz$/.test(name))
      .flatMap((name) => jsonIn(folder + name) as unknown[]),
  )
const bulletinFrom = (json: unknown) => toBulletin(CsafDocument.parse(json), 'https://example.org/x.json')

test(
  'every advisory of CISA is read, names its vendor and its products, and stays below 60 kB',
  { timeout: 60_000 },
  () => {
    const documents = cisa()
    const bulletins = documents.map(bulletinFrom)
    expect(bulletins).toHaveLength(2_383)
    expect(new Set(bulletins.map(({ publicid }) => publicid)).size).toBe(2_383)
    expect(new Set(bulletins.flatMap(({ cveids }) => cveids)).size).toBe(6_986)
    expect(documents.every((document) => isPublic(CsafDocument.parse(document)))).toBe(true)
    expect(
      bulletins.filter(({ vendor, link, source }) => !vendor || !link.startsWith('https://') || source !== 'cisa'),
    ).toEqual([])
    // It publishes a few about software of its own.
    expect(bulletins.filter(({ vendor }) => vendor === 'CISA').length).toBeLessThan(5)
    expect(bulletins.find(({ publicid }) => publicid === 'VA-24-201-01')?.vendor).toBe('Adminer, AdminerEvo')

    const bodies = bulletins.map(({ body }) => BulletinBody.parse(JSON.parse(body)))
    expect(Math.max(...bulletins.map(({ body }) => Buffer.byteLength(body)))).toBeLessThanOrEqual(60_000)
    expect(bodies.filter(({ products }) => products.length === 0)).toEqual([])
    expect(bodies.flatMap(({ products }) => products).filter(({ vendor, product }) => !vendor || !product)).toEqual([])
    const cut = bodies.filter(({ vulns, vulns_count }) => vulns.length < vulns_count)
    expect(cut.length).toBeLessThan(5)
  },
)

test('every list of changes names each document of its folder', async () => {
  for (const folder of ['OT', 'IT']) {
    const changes = await readChanges(
      `https://raw.githubusercontent.com/cisagov/CSAF/develop/csaf_files/${folder}/white`,
      lines(toStream(readBytes(`cisa/${folder}/white/changes.csv`))),
      new Date(),
    )
    const index = readBytes(`cisa/${folder}/white/index.txt`).toString().trim().split(/\r?\n/)
    const address = 'https://raw.githubusercontent.com/cisagov/CSAF/develop/'
    expect(changes.map(({ url }) => url.replace(address, '')).toSorted()).toEqual(index.toSorted())
    expect(changes.map(({ date }) => date)).toEqual(
      changes
        .map(({ date }) => date)
        .toSorted()
        .toReversed(),
    )
  }
})

test.each(['redhat/', 'oasis-examples/'])('every document of %s is read', (folder) => {
  const bulletins = filesIn(folder).map((name) => bulletinFrom(jsonIn(folder + name)))
  expect(bulletins.length).toBeGreaterThan(10)
  for (const { body, vendor, title, cveids } of bulletins) {
    const { vulns, vulns_count, products } = BulletinBody.parse(JSON.parse(body))
    expect(vendor && title).toBeTruthy()
    expect(new Set(vulns.flatMap(({ cveid }) => cveid ?? [])).size).toBe(cveids.length)
    expect(vulns.length).toBe(vulns_count)
    for (const { statuses } of vulns)
      for (const { products: places } of statuses) expect(places.every((place) => products[place])).toBe(true)
  }
})

test('a package of Red Hat is named by its platform, once for all architectures', () => {
  const { vendor, severity, link, body } = bulletinFrom(jsonIn('redhat/2024/rhsa-2024_4546.json'))
  expect({ vendor, severity, link }).toEqual({
    vendor: 'Red Hat',
    severity: 'Important',
    link: 'https://access.redhat.com/errata/RHSA-2024:4546',
  })
  const { products } = BulletinBody.parse(JSON.parse(body))
  expect(products).toContainEqual({
    vendor: 'Red Hat',
    product: 'Red Hat Enterprise Linux AppStream AUS (v.8.6)',
    version: 'git-lfs-0:2.13.3-3.el8_6.1',
  })
  expect(products).toHaveLength(9)
})
