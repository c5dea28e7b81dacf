import { expect, test } from 'vitest'
import { addThreat, deleteThreat, editThreat, listThreats, metadataCounter } from '../../worker/exploits/contract'
import { getVuln } from '../../worker/vulns/detail/contract'
import { eachTest } from './support/each-test'
import { anOrg } from './support/org'
import { anExploitsScene, link } from './support/exploits-scene'

const scene = eachTest(anExploitsScene)

test('a threat activity is added, edited and deleted as an exploit is, private to the organization', async () => {
  const { findId, anAnalyst, anAdmin } = scene
  const id = await findId('CVE-2024-10002')
  const [ours, theirs, admin] = [await anAnalyst(), await anAnalyst(), await anAdmin()]
  const made = await ours.call(addThreat, { params: { id }, body: { link, is_in_the_news: true } })
  expect(made).toMatchObject({
    trust_level: 'high',
    tlp_level: 'white',
    source: 'manual',
    scope: 'private',
    is_in_the_news: true,
    is_in_the_wild: false,
  })
  expect(await ours.call(getVuln, { params: { id } })).toMatchObject({
    is_in_the_news: false,
    threat_activity_count: 0,
  })
  expect(await ours.call(metadataCounter, { params: { id } })).toEqual({ count_exploit: 0, count_threat: 1 })
  expect((await theirs.call(listThreats, { query: { vuln_id: id } })).results).toEqual([])
  for (const caller of [theirs, admin]) {
    expect((await caller.answer(editThreat, { params: { id }, body: made })).status).toBe(404)
    expect((await caller.answer(deleteThreat, { params: { id, tid: made.id } })).status).toBe(404)
  }
  // S2 §3: an edit sends an empty maturity.
  const body = { ...made, maturity: '', notes: 'Seen twice', is_in_the_wild: 'true' as const }
  const edited = await ours.call(editThreat, { params: { id }, body })
  expect(edited).toMatchObject({ id: made.id, notes: 'Seen twice', is_in_the_wild: true })
  expect((await ours.answer(editThreat, { params: { id }, body: made })).status).toBe(409)
  expect(await ours.call(deleteThreat, { params: { id, tid: made.id } })).toBe('deleted')
  expect((await ours.call(listThreats, { query: { vuln_id: id } })).count).toBe(0)
})

test('a public threat activity sets the flags of its vulnerability, and takes them away with it', async () => {
  const { world, findId, anAdmin } = scene
  const id = await findId('CVE-2024-10002')
  const [admin, reader] = [await anAdmin(), await anOrg({ world })]
  const made = await admin.call(addThreat, {
    params: { id },
    body: { link, is_in_the_wild: true, is_in_the_news: true, scope: 'public' },
  })
  expect(await reader.call(getVuln, { params: { id } })).toMatchObject({
    is_in_the_wild: true,
    is_in_the_news: true,
    threat_activity_count: 1,
  })
  expect((await reader.call(listThreats, { query: { vuln_id: id } })).results).toEqual([
    { ...made, is_editable: false },
  ])
  await admin.call(deleteThreat, { params: { id, tid: made.id } })
  expect(await reader.call(getVuln, { params: { id } })).toMatchObject({ is_in_the_wild: false, is_in_the_news: false })
})

test('KEV is a threat activity that nobody can change, in the list and on its vulnerability', async () => {
  const { findId, anAdmin } = scene
  const id = await findId('CVE-2024-10001')
  const admin = await anAdmin()
  const [kev] = (await admin.call(listThreats, { query: { vuln_id: id } })).results
  expect(kev).toMatchObject({ source: 'kev', scope: 'public', is_in_the_wild: true, is_editable: false })
  expect((await admin.answer(deleteThreat, { params: { id, tid: kev?.id } })).status).toBe(403)
  expect((await admin.call(listThreats, { query: { search: 'ransomware' } })).results).toEqual([kev])
  expect((await admin.call(listThreats, { query: { is_in_the_wild: true, source: 'kev' } })).count).toBe(1)
  expect((await admin.call(listThreats, { query: { search: 'CVE-2024-10002' } })).count).toBe(0)
  // A link whose key would be the name of KEV's own row.
  await admin.call(addThreat, { params: { id }, body: { link: 'https://kev/', scope: 'public' } })
  expect((await admin.call(listThreats, { query: { vuln_id: id } })).count).toBe(2)
})

test('staff submits exploits and threats by CVE id or by our id', async () => {
  const { world, findId, anAdmin } = scene
  const id = await findId('CVE-2024-10002')
  const admin = await anAdmin()
  const submit = (fields: Record<string, string>) =>
    world.request('/api/data/submit', {
      method: 'POST',
      headers: { authorization: `JWT ${admin.access}` },
      body: new URLSearchParams(fields),
    })
  const made = await submit({ cveid: 'cve-2024-10002', submit_type: 'exploit', link, maturity: 'poc' })
  expect(await made.json()).toMatchObject({ status: 'submitted', type: 'exploit' })
  expect((await submit({ vuln_id: String(id), submit_type: 'threat', link })).status).toBe(200)
  expect(await admin.call(metadataCounter, { params: { id } })).toEqual({ count_exploit: 1, count_threat: 1 })
  expect((await submit({ cveid: 'CVE-2099-0001', submit_type: 'exploit', link })).status).toBe(404)
  expect((await submit({ submit_type: 'exploit', link })).status).toBe(400)
  expect((await submit({ cveid: 'CVE-2024-10002', submit_type: 'tool', link })).status).toBe(400)
})
