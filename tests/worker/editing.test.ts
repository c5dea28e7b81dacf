import { beforeEach, expect, test } from 'vitest'
import { listAlerts } from '../../worker/alerts/contract'
import { addVuln, editableVuln, editVuln } from '../../worker/editing/contract'
import { listExploits, vulnExploits } from '../../worker/exploits/contract'
import { listProducts } from '../../worker/kb/contract'
import { productTimeline } from '../../worker/kb/timeline/contract'
import { toggleProduct } from '../../worker/monitoring/contract'
import { addComment, exportVuln, getStatus, testVersion, vulnRecordList } from '../../worker/triage/contract'
import { getVuln, vulnHistory } from '../../worker/vulns/detail/contract'
import { listVulns, toggleVuln } from '../../worker/vulns/contract'
import { latestVulns, vulnStats } from '../../worker/home/contract'
import { aCve } from '../support/records'
import { eachTest } from './support/each-test'
import { beforeWriting } from './support/before-writing'
import { anOrg } from './support/org'
import { sayIn } from './support/say'
import { firstLoad } from './support/load-once'
import { fakeOrigins, originSettings } from './support/origins'
import { aWorld } from './support/world'

const origins = eachTest(fakeOrigins)
const world = eachTest(() => aWorld(originSettings))
beforeEach(async () => {
  origins.files.set(2024, [aCve('CVE-2024-30001')])
  await firstLoad(world, origins)
})

const form = {
  summary: 'Our own portal lets guests read invoices.',
  cvss3_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  cwe: 'cwe-284',
  references: 'https://intranet.example/1, https://intranet.example/2',
  cpes: ['cpe:2.3:a:acme:widget:3.0:*:*:*:*:*:*:*'],
}

async function anEditor(given: Parameters<typeof anOrg>[0] = {}) {
  const org = await anOrg({ world, ...given })
  await world.sql`UPDATE members SET manage_metadata = 1 WHERE user_id = ${org.user_id}`
  return org
}

test('an organization adds a vulnerability for itself, and edits it', async () => {
  const { call } = await anEditor()
  const { id } = await call(addVuln, { body: { ...form, monitored: true, is_confirmed: true } })
  expect(await call(getVuln, { params: { id } })).toMatchObject({
    cveid: null,
    scope: 'private',
    summary: form.summary,
    cvss3: 7.5,
    cwe_id: 'CWE-284',
    monitored: true,
    is_confirmed: true,
    score: expect.any(Number),
    reflinks: ['https://intranet.example/1', 'https://intranet.example/2'],
    affected: [{ vendor: 'acme', product: 'widget', source: 'manual', versions: ['3.0'] }],
  })

  const [widget] = (await call(listProducts, { query: { name: 'widget' } })).results
  const timeline = await call(productTimeline, { params: { id: widget?.id ?? 0 } })
  expect(timeline.results.find(({ vuln }) => vuln.id === id)?.vuln).toMatchObject({ id, cveid: null })

  const { version, form: shown } = await call(editableVuln, { params: { id } })
  await call(editVuln, { body: { ...shown, id, version, summary: 'Fixed words.', cpes: '' } as never })
  expect(await call(getVuln, { params: { id } })).toMatchObject({
    summary: 'Fixed words.',
    affected: [],
    product_count: 0,
    monitored: true,
  })
  const late = await call(editVuln, { body: { ...form, id, version } }).catch(String)
  expect(late).toMatch(/409.*Somebody else changed it/)
})

test('an edit never makes a score of CVSS 2 from what another version says', async () => {
  const { call } = await anEditor()
  const { id } = await call(addVuln, { body: form })
  const params = { id }
  const { access, impact } = await call(getVuln, { params })
  expect([access.vector, impact.confidentiality]).toEqual(['NETWORK', 'COMPLETE'])
  const { form: shown } = await call(editableVuln, { params })
  // As our own screen sends it back, and as a client does that fills in what the page shows.
  const shownWords = {
    access_vector: access.vector,
    access_complexity: access.complexity,
    access_authentication: access.authentication,
    impact_confidentiality: impact.confidentiality,
    impact_integrity: impact.integrity,
    impact_availability: impact.availability,
  }
  for (const words of [{}, shownWords]) {
    await call(editVuln, { body: { ...shown, ...words, ...params } as never })
    expect(await call(getVuln, { params })).toMatchObject({ cvss: null, cvss_vector: '', cvss3: 7.5 })
  }
  await call(editVuln, { body: { ...shown, ...shownWords, impact_integrity: 'PARTIAL', ...params } as never })
  expect(await call(getVuln, { params })).toMatchObject({ cvss_vector: 'AV:N/AC:L/Au:N/C:C/I:P/A:N' })
})

test('a global admin chooses who sees what they add; nobody else adds for everybody', async () => {
  const admin = await anEditor({ is_admin: true })
  const stranger = await anEditor()
  const { id } = await admin.call(addVuln, { body: { ...form, scope: 'private' } })
  expect(await admin.call(getVuln, { params: { id } })).toMatchObject({ scope: 'private', cveid: null })
  expect((await stranger.answer(getVuln, { params: { id } })).status).toBe(404)
  // A name that no feed knows would stand in everybody's list of products.
  const cpes = 'cpe:2.3:a:secret:project:1.0:*:*:*:*:*:*:*'
  const texts = [
    await admin.call(addVuln, { body: { ...form, cpes, scope: 'private' } }).catch(String),
    await admin.call(editVuln, { body: { ...form, cpes, id } }).catch(String),
  ]
  expect(texts).toEqual(texts.map(() => expect.stringMatching(/400.*no product secret:project/)))
  const refused = await stranger.answer(addVuln, { body: { ...form, scope: 'public' } })
  expect(refused.status).toBe(403)
})

test('private rows of one organization are nowhere to be seen for another', async () => {
  const owner = await anEditor()
  const stranger = await anEditor()
  const { results } = await stranger.call(listProducts, { query: { search: 'widget' } })
  const [widget] = results
  for (const one of [owner, stranger])
    await one.call(toggleProduct, { body: { product_id: widget?.id, monitored: true } })
  const counts = await stranger.call(vulnStats)
  const { id } = await owner.call(addVuln, { body: { ...form, cve_id: 'CVE-2026-99999' } })
  await world.drain()
  const own = { params: { id } }

  expect((await owner.call(listVulns)).results.map((vuln) => vuln.id)).toContain(id)
  for (const query of [
    {},
    { search: 'invoices' },
    { monitored: true },
    { product: widget?.id },
    { vendor: widget?.vendor_id },
  ]) {
    const found = await stranger.call(listVulns, { query })
    expect([query, found.results.map((vuln) => vuln.id)]).toEqual([query, expect.not.arrayContaining([id])])
  }
  for (const [contract, input] of [
    [getVuln, own],
    [vulnHistory, own],
    [vulnRecordList, own],
    [getStatus, own],
    [vulnExploits, own],
    [exportVuln, own],
    [editableVuln, own],
    [addComment, { ...own, body: { body: 'x' } }],
    [toggleVuln, { ...own, body: { monitored: true } }],
    [testVersion, { ...own, query: { version: '3.0', product: widget?.id } }],
    [editVuln, { body: { ...form, id } }],
  ] as const)
    expect([contract.path, (await stranger.answer(contract as never, input)).status]).toEqual([contract.path, 404])

  const latest = await stranger.call(latestVulns)
  expect([...latest.vulns, ...latest.monitored_vulns].map((vuln) => vuln.id)).not.toContain(id)
  expect(await stranger.call(vulnStats)).toEqual(counts)
  expect((await stranger.call(listExploits)).count).toBe(0)
  expect((await stranger.call(listAlerts)).count).toBe(0)
  expect((await owner.call(listAlerts)).results).toMatchObject([{ rule: 'new', vuln: { id } }])
  expect((await stranger.call(listProducts, { query: { search: 'widget' } })).results).toEqual(
    results.map((row) => ({ ...row, monitored: true })),
  )
})

test('a global admin adds one for everybody, and their word wins over that of the feeds', async () => {
  const admin = await anEditor({ is_admin: true })
  const { call } = await anOrg({ world })
  const { id } = await admin.call(addVuln, {
    body: { ...form, cve_id: 'CVE-2026-12345', cpes: 'cpe:2.3:o:initech:stapler:-:*:*:*:*:*:*:*' },
  })
  expect(await call(getVuln, { params: { id } })).toMatchObject({ cveid: 'CVE-2026-12345', scope: 'public' })
  expect((await call(listProducts, { query: { search: 'stapler' } })).results).toMatchObject([{ vulns_count: 1 }])

  const [known] = await world.sql<{ id: number }>`SELECT id FROM vulns WHERE cveid = 'CVE-2024-30001'`
  const params = { id: known?.id ?? 0 }
  const { version, form: shown } = await admin.call(editableVuln, { params })
  await admin.call(editVuln, { body: { ...shown, ...params, version, summary: 'Plainly said.' } as never })
  expect(await call(getVuln, { params })).toMatchObject({ summary: 'Plainly said.', provenance: { summary: 'manual' } })
  const again = await admin.call(addVuln, { body: { ...form, cve_id: 'CVE-2024-30001' } }).catch(String)
  expect(again).toContain(`409: {"code":"exists","message":"CVE-2024-30001 is already here: PH-${params.id}"`)
})

test('a vulnerability added by a global admin without a CVE id goes by its PH id, not by a name that nobody knows', async () => {
  const admin = await anEditor({ is_admin: true })
  const { id } = await admin.call(addVuln, { body: { ...form, cve_id: '' } })
  const { call } = await anOrg({ world })
  const shown = await call(getVuln, { params: { id } })
  expect(shown).toMatchObject({ cveid: null, known_as: `PH-${id}`, scope: 'public', aliases: [] })
})

test('of two admins who correct a CVE at the same moment one is told to look again, if both name the version they read', async () => {
  const [one, other] = [await anEditor({ is_admin: true }), await anEditor({ is_admin: true })]
  const [known] = await world.sql<{ id: number }>`SELECT id FROM vulns WHERE cveid = 'CVE-2024-30001'`
  const params = { id: known?.id ?? 0 }
  const { version, form: shown } = await one.call(editableVuln, { params })
  expect(version).toBeNull()
  const save = async (given: object) => {
    const answers = await Promise.all(
      [one, other].map(({ answer }, at) =>
        answer(editVuln, { body: { ...shown, ...params, ...given, summary: `Words of ${at}.` } as never }),
      ),
    )
    const { summary } = await one.call(getVuln, { params })
    await world.sql`DELETE FROM vuln_records WHERE source = 'manual'`
    return { statuses: answers.map(({ status }) => status), summary }
  }
  const guarded = await save({ version })
  expect(guarded.statuses.toSorted()).toEqual([200, 409])
  expect(guarded.summary).toBe(`Words of ${guarded.statuses.indexOf(200)}.`)
  // A client's `modified` is a date: the last writer wins.
  const unguarded = await save({ modified: '2020-01-01T00:00:00Z' })
  expect(unguarded.statuses).toEqual([200, 200])
  expect(unguarded.summary).toMatch(/^Words of [01]\.$/)

  await one.call(editVuln, { body: { ...shown, ...params, version, summary: 'First.' } as never })
  const late = await other.answer(editVuln, { body: { ...shown, ...params, version, summary: 'Late.' } as never })
  expect(late.status).toBe(409)
  expect((await one.call(getVuln, { params })).summary).toBe('First.')
})

test('an edit that a feed overtakes between reading and writing is merged with what the feed says', async () => {
  const { call } = await anEditor({ is_admin: true })
  const [known] = await world.sql<{ id: number }>`SELECT id FROM vulns WHERE cveid = 'CVE-2024-30001'`
  const params = { id: known?.id ?? 0 }
  const { form: shown } = await call(editableVuln, { params })
  const { DB } = world.env
  const links = [{ url: 'https://nvd.example/overtaking', tags: [] }]
  world.env.DB = beforeWriting(DB, 'UPDATE counters SET value', () =>
    sayIn({ ...world, env: { ...world.env, DB } }, 'nvd', { cveid: 'CVE-2024-30001', references: links }),
  )
  await call(editVuln, { body: { ...shown, ...params, summary: 'Our words.', references: '' } as never })
  const { summary, sources, reflinks } = await call(getVuln, { params })
  expect([summary, sources.map(({ source }) => source).toSorted()]).toEqual(['Our words.', ['manual', 'nvd']])
  expect(reflinks).toContain('https://nvd.example/overtaking')
})

test('only who may manage metadata writes, and only global admins what everybody sees', async () => {
  const plain = await anOrg({ world })
  const editor = await anEditor()
  const [known] = await world.sql<{ id: number }>`SELECT id FROM vulns WHERE cveid = 'CVE-2024-30001'`
  expect((await plain.answer(addVuln, { body: form })).status).toBe(403)
  expect((await editor.answer(editVuln, { body: { ...form, id: known?.id } })).status).toBe(403)
})

test.each([
  [{ summary: '' }, 'A summary is required'],
  [{ cvss3_vector: 'CVSS:3.1/AV:X' }, 'Not a CVSS 3 vector: CVSS:3.1/AV:X'],
  [{ cvss2_vector: 'AV:N' }, 'Not a CVSS 2.0 vector: AV:N (AC is missing)'],
  [{ cvss3_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:Z' }, '(A:Z is wrong)'],
  [{ cvss3_vector: 'AV:N/AC:L/Au:N/C:P/I:P/A:P' }, '(it is of another version)'],
  [{ cvss3: 11 }, 'From 0 to 10'],
  [{ cwe: 'XSS' }, 'Must be a weakness, as CWE-79'],
  [{ cve_id: '2024-1' }, 'Must be a CVE id, as CVE-2026-12345'],
  [{ references: 'javascript:alert(1)' }, 'Not a web address: javascript:alert(1)'],
  [{ cpes: 'acme widget' }, 'Not a CPE name: acme widget'],
  [{ cpes: 'cpe:2.3:a:secret:inhouse:1:*:*:*:*:*:*:*' }, 'The knowledge base has no product secret:inhouse'],
  [{ products: [999_999] }, 'One of the products is not known'],
])('%j is refused: %s', async (wrong, message) => {
  const { answer } = await anEditor()
  const response = await answer(addVuln, { body: { ...form, ...wrong } })
  expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([
    400,
    expect.stringContaining(message),
  ])
})

test('access and impact give a CVSS 2 vector where none is written', async () => {
  const { call } = await anEditor()
  const { cvss3_vector: _, ...bare } = form
  const { id } = await call(addVuln, { body: { ...bare, access_vector: 'NETWORK', impact_integrity: 'PARTIAL' } })
  expect(await call(getVuln, { params: { id } })).toMatchObject({ cvss: 5, cvss_vector: 'AV:N/AC:L/Au:N/C:N/I:P/A:N' })
})
