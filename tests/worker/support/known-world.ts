import { openDb } from '../../../worker/db/open'
import type { Source, VulnRecord } from '../../../worker/domain/words/record'
import { saveRecords } from '../../../worker/merge/save-records'
import { catchUp } from './catch-up'
import { loadOnce } from './load-once'
import { aWorld, type World } from './world'

export const known = {
  cveid: 'CVE-2026-10001',
  vendor: 'acme',
  product: 'widget',
  package: { type: 'npm', name: '@acme/widget' },
  bulletin: 'ACSA-26-001',
  weakness: 79,
} as const

const vector = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'
const modified = '2026-11-18T10:00:00Z'
const link = 'https://www.exploit-db.com/exploits/42030'

const records: [Source, VulnRecord[]][] = [
  [
    'nvd',
    [
      {
        cveid: known.cveid,
        state: 'published',
        summary: 'A flaw in Widget lets a visitor run what he likes.',
        published: modified,
        modified,
        cvss: { score: 10, vector: 'AV:N/AC:L/Au:N/C:C/I:C/A:C', by: 'nvd' },
        cvss3: { score: 9.8, vector, by: 'nvd' },
        cwe_ids: ['CWE-79'],
        references: [{ url: 'https://acme.example/advisory', tags: ['Vendor Advisory'] }],
        affected: [{ vendor: known.vendor, product: known.product, ranges: [{ cpe: 'a:*', lt: '2.0' }, 'a:1.5'] }],
      },
      { cveid: 'CVE-2026-10002', state: 'published', summary: 'A flaw that nobody has rated.', modified },
      { cveid: 'CVE-2026-10003', state: 'rejected', summary: 'It was none.', modified },
    ],
  ],
  [
    'ghsa',
    [
      {
        cveid: known.cveid,
        ref: 'GHSA-aaaa-bbbb-cccc',
        state: 'published',
        aliases: ['GHSA-aaaa-bbbb-cccc'],
        modified,
        packages: [{ ...known.package, ranges: [{ order: 'semver', ge: '1.0.0', lt: '2.0.0' }] }],
      },
      {
        cveid: 'CVE-2026-10002',
        ref: 'GHSA-dddd-eeee-ffff',
        state: 'published',
        modified,
        packages: [{ type: 'pypi', name: 'gadget', ranges: [{ order: 'pypi', lt: '3.0' }] }],
      },
    ],
  ],
  [
    'kev',
    [
      {
        cveid: known.cveid,
        state: 'awaiting',
        kev: { added: '2026-11-19', due: '2026-12-10', ransomware: true, name: 'Widget' },
      },
    ],
  ],
  [
    'exploitdb',
    [
      {
        cveid: known.cveid,
        state: 'awaiting',
        exploits: [
          {
            key: link,
            link,
            notes: 'Remote code execution',
            trust_level: 'high',
            availability: 'public',
            maturity: 'poc',
            type: 'exploitation',
          },
        ],
      },
    ],
  ],
]

const bulletinBody = {
  category: 'csaf_security_advisory',
  publisher: 'CERT',
  status: 'final',
  version: '1',
  notes: [],
  products: [{ vendor: 'Acme', product: 'Widget', version: '1.5' }],
  products_count: 1,
  vulns: [],
  vulns_count: 0,
  remediations: [],
  remediations_count: 0,
  references: [],
  acknowledgments: [],
}

async function fillKnown(world: World) {
  for (const [source, found] of records)
    await saveRecords(openDb(world.env), { source, records: found, is_backfill: false, now: new Date(modified) })
  await world.sql`INSERT INTO bulletins(id, publicid, source, vendor, title, link, published, modified, hash, body)
     VALUES (1, ${known.bulletin}, 'cisa', 'Acme', 'Acme Widget', 'https://cert.example/1', ${modified}, ${modified}, '', ${JSON.stringify(bulletinBody)})`
  await world.sql`INSERT INTO weaknesses(id, name, description) VALUES (${known.weakness}, 'XSS', '')`
  await catchUp(world)
}

/** A world that knows one of each: a vulnerability that everybody speaks of, its product, package and exploit, a bulletin and a weakness. */
export async function aKnownWorld(settings: Parameters<typeof aWorld>[0] = {}) {
  const world = aWorld(settings)
  await loadOnce(world, 'a known world', () => fillKnown(world), Infinity)
  return world
}
