import { expect, test } from 'vitest'
import { eachTest } from './support/each-test'
import { aKnownWorld, known } from './support/known-world'
import { anS2Scene, vulnForm, type Body, type Given } from './support/s2-scene'

type Row = [call: string, path: (given: Given) => string, body: ((given: Given) => Body) | null, reply: unknown]

const world = eachTest(aKnownWorld)

const list = { count: expect.any(Number), results: expect.any(Array) }
const holding = (row: object) => ({ ...list, results: expect.arrayContaining([expect.objectContaining(row)]) })
const one = holding({ id: 1 })
const success = { status: 'success' }
const toggled = 'toggled.'
const monitored = ({ org_id }: Given) => ({ monitored: true, organization_id: org_id })
const form = { link: 'https://acme.example/new', trust_level: 'high', tlp_level: 'white', source: 'manual', notes: '' }
const at = (path: string) => () => path

// The specification's calls (S2, section 7) as its clients spell them, in its order.
const knowledgeBase: Row[] = [
  ['GET /api/kb/vendors/', at('/api/kb/vendors/?limit=10&page=1&search=acm&sorted_by=-name'), null, one],
  ['GET /api/kb/vendors/ monitored', at('/api/kb/vendors/?monitored=true'), null, { count: 0, results: [] }],
  ['GET /api/kb/vendors/{id}', at('/api/kb/vendors/1'), null, { id: 1, name: known.vendor, products_count: 1 }],
  ['GET /api/kb/products/', at('/api/kb/products/?limit=30&page=1&search=wid&sorted_by=name'), null, one],
  ['GET /api/kb/products/ of a vendor', at('/api/kb/products/?vendor_id=1'), null, one],
  ['GET /api/kb/products/ monitored', at('/api/kb/products/?monitored=true'), null, { count: 0, results: [] }],
  [
    'GET /api/kb/detailed-products/{id}',
    at('/api/kb/detailed-products/1'),
    null,
    {
      name: known.product,
      versions: expect.arrayContaining([{ id: expect.any(Number), version: '1.5', branch: '1.x' }]),
    },
  ],
  [
    'GET /api/kb/packages/ by name',
    at(`/api/kb/packages/?limit=10&page=1&name=@acme/widget&sorted_by=name`),
    null,
    one,
  ],
  ['GET /api/kb/packages/ by a part', at('/api/kb/packages/?name__icontains=WIDG&sorted_by=-updated_at'), null, one],
  ['GET /api/kb/packages/ monitored', at('/api/kb/packages/?monitored=true'), null, { count: 0, results: [] }],
  ['GET /api/kb/packages/{id}', at('/api/kb/packages/1'), null, { ...known.package, vulns_cnt: 1 }],
  [
    'GET /api/kb/cve',
    at(`/api/kb/cve?limit=10&page=1&sorted_by=-modified&search=${known.cveid}`),
    null,
    holding({ cve_id: known.cveid, cvss: 10, monitored: true }),
  ],
  [
    'GET /api/kb/bulletins',
    at('/api/kb/bulletins?limit=10&page=1&sorted_by=-published&search=widget'),
    null,
    holding({ publicid: known.bulletin }),
  ],
  ['PUT /api/kb/vendor/{id}/', at('/api/kb/vendor/1/'), monitored, toggled],
  ['PUT /api/kb/bulletin/{id}/', at('/api/kb/bulletin/1/'), () => ({ monitored: true }), toggled],
]

const vulns: Row[] = [
  [
    'GET /api/vulns/',
    at('/api/vulns/?limit=10&page=1&search=widget&sorted_by=-updated_at&score__gte=0&score__lte=100'),
    null,
    one,
  ],
  ['GET /api/vulns/ of the last days', at('/api/vulns/?updated_at__gte=2020-01-01'), null, one],
  ['GET /api/vulns/ monitored', at('/api/vulns/?monitored=true&search=widget'), null, { count: 1 }],
  ['GET /api/vulns/ of a vendor', at('/api/vulns/?vendor=1'), null, { count: 1 }],
  [
    'GET /api/vulns/ of a product and a version',
    at('/api/vulns/?product=1&product_version=1.5&vendor_name=acme&product_name=widget'),
    null,
    { count: 1 },
  ],
  ['GET /api/vulns/ of a package', at('/api/vulns/?package=1'), null, { count: 1 }],
  [
    'GET /api/vulns/stats/monitored',
    at('/api/vulns/stats/monitored'),
    null,
    { vulns: expect.objectContaining({ count: 1 }), monitored: expect.objectContaining({ vulnerabilities: 1 }) },
  ],
  ['GET /api/vulns/{id}/', at('/api/vulns/1/'), null, { id: 1, cveid: known.cveid, monitored: true }],
  ['GET /api/public/vulns/{id}/', at('/api/public/vulns/1/'), null, { id: 1, cveid: known.cveid }],
  [
    'GET /api/vulns/{id}/export/{format}',
    at('/api/vulns/1/export/json'),
    null,
    {
      vulnerability: expect.objectContaining({ id: 1 }),
      exploits: [expect.objectContaining({ source: 'exploitdb' })],
      org_exploits: [expect.objectContaining({ scope: 'private' })],
      threats: expect.any(Array),
      org_threats: [expect.objectContaining({ scope: 'private' })],
    },
  ],
  ['POST /api/vulns/{id}/export/email', at('/api/vulns/1/export/email'), () => ({ emails: 'a@example.org' }), success],
  [
    'PUT /api/vulns/{id}/toggle',
    at('/api/vulns/1/toggle'),
    ({ org_id }) => ({ monitored: false, vuln_id: 1, organization_id: org_id }),
    toggled,
  ],
  ['POST /api/vulns/add', at('/api/vulns/add'), () => vulnForm, { ...success, id: expect.any(Number) }],
  ['GET /api/vulns/{id}/status', at('/api/vulns/1/status'), null, 'undefined'],
  [
    'POST /api/vulns/{id}/status/edit',
    at('/api/vulns/1/status/edit'),
    () => ({ status: 'in_progress' }),
    { status: 'in_progress' },
  ],
  ['GET /api/ratings/calc/{id}', at('/api/ratings/calc/1'), null, { id: 1, cvssV2adj: expect.any(Array) }],
  ['GET /api/ratings/vector/{id}', at('/api/ratings/vector/1'), null, expect.stringMatching(/^AV:N/)],
  ['GET /api/ratings/metrics', at('/api/ratings/metrics'), null, { asset: expect.any(Object) }],
  ['GET /api/vulns/{id}/exploits', at('/api/vulns/1/exploits'), null, [expect.any(Object), expect.any(Object)]],
  [
    'GET /api/vulns/{id}/exploits/{eid}/del',
    ({ exploit_id }) => `/api/vulns/1/exploits/${exploit_id}/del`,
    null,
    'deleted',
  ],
  [
    'POST /api/vulns/{id}/exploits/add',
    at('/api/vulns/1/exploits/add'),
    () => ({ ...form, availability: 'public', maturity: 'unknown' }),
    { link: form.link, relevancy_level: expect.any(Number), scope: 'private' },
  ],
  [
    'POST /api/vulns/{id}/exploits/edit',
    at('/api/vulns/1/exploits/edit'),
    ({ exploit_id }) => ({ ...form, id: exploit_id, availability: 'private', maturity: 'poc' }),
    { availability: 'private', maturity: 'poc' },
  ],
  [
    'GET /api/vulns/{id}/threats',
    at('/api/vulns/1/threats'),
    null,
    expect.arrayContaining([expect.objectContaining({ scope: 'private' })]),
  ],
  [
    'GET /api/vulns/{id}/threats/{tid}/del',
    ({ threat_id }) => `/api/vulns/1/threats/${threat_id}/del`,
    null,
    'deleted',
  ],
  [
    'POST /api/vulns/{id}/threats/add',
    at('/api/vulns/1/threats/add'),
    () => ({ ...form, is_in_the_wild: true, is_in_the_news: false }),
    { is_in_the_wild: true },
  ],
  [
    'POST /api/vulns/{id}/threats/edit',
    at('/api/vulns/1/threats/edit'),
    ({ threat_id }) => ({ ...form, id: threat_id, maturity: '', is_in_the_news: true }),
    { is_in_the_news: true },
  ],
  ['GET /api/vulns/{id}/comment', at('/api/vulns/1/comment'), null, ''],
  [
    'POST /api/vulns/{id}/comment/edit',
    at('/api/vulns/1/comment/edit'),
    () => ({ comment: 'Ours' }),
    { comment: 'Ours' },
  ],
  ['GET /api/vulns/{id}/counter', at('/api/vulns/1/counter'), null, { count_exploit: 2 }],
  ['GET /api/exploits/', at('/api/exploits/?limit=20&page=1&search=remote&sorted_by=-modified'), null, { count: 1 }],
  ['GET /api/threats/', at('/api/threats/?limit=20&page=1&sorted_by=-modified'), null, holding({ scope: 'private' })],
]

const rest: Row[] = [
  [
    'POST /api/monitor/vendor/toggle',
    at('/api/monitor/vendor/toggle'),
    (given) => ({ vendor_id: 1, vendor_name: known.vendor, ...monitored(given) }),
    toggled,
  ],
  [
    'POST /api/monitor/product/toggle',
    at('/api/monitor/product/toggle'),
    (given) => ({ vendor_name: known.vendor, product_name: known.product, ...monitored(given) }),
    toggled,
  ],
  [
    'POST /api/monitor/package/toggle',
    at('/api/monitor/package/toggle'),
    (given) => ({ package_id: 1, ...monitored(given) }),
    toggled,
  ],
  ['POST /api/alerts/newsletter', at('/api/alerts/newsletter'), () => ({ email: 'reader@example.org' }), success],
  ['GET /users/set-org', at('/users/set-org'), null, { status: 'set', org_name: expect.any(String) }],
  [
    'GET /users/api/current',
    at('/users/api/current'),
    null,
    { is_org_admin: true, is_superuser: false, mfa_enabled: false, current_org: expect.any(Object) },
  ],
]

const withSlash = (path: string) => path.replace(/\/?(\?|$)/, '/$1')
const withoutSlash = (path: string) => path.replace(/\/(\?|$)/, '$1')

test.each([...knowledgeBase, ...vulns, ...rest])(
  '%s, with and without a slash at its end',
  async (call, path, body, reply) => {
    const method = call.split(' ')[0] ?? ''
    for (const spell of [withSlash, withoutSlash]) {
      const { ask, ...given } = await anS2Scene(world)
      const response = await ask(method, spell(path(given)), body?.(given))
      const isPlain = typeof reply !== 'object' || Array.isArray(reply) || 'asymmetricMatch' in (reply ?? {})
      const expected = isPlain ? reply : expect.objectContaining(reply as object)
      expect([response.status, await response.json()]).toEqual([200, expected])
    }
  },
)
