import { expect, test } from 'vitest'
import { updateChannel } from '../../worker/alerts/channels/contract'
import { listAudit } from '../../worker/orgs/contract'
import { createView, listViews, maxViews, removeView, updateView } from '../../worker/views/contract'
import { anOrg, signInByPassword } from './support/org'
import { aMember } from './support/member'

const names = (views: { name: string }[]) => views.map(({ name }) => name)

test('a view is saved, opened, changed and removed by whoever made it', async () => {
  const { call, answer } = await anOrg()
  expect(await call(listViews)).toEqual([])
  const view = await call(createView, { body: { name: ' Urgent ', query: '?q=kev&sorted_by=-score' } })
  expect(view).toMatchObject({ name: 'Urgent', query: 'q=kev&sorted_by=-score', is_shared: false, is_own: true })
  const params = { id: view.id }
  expect(await call(updateView, { params, body: { query: 'q=wild', is_shared: true } })).toMatchObject({
    name: 'Urgent',
    query: 'q=wild',
    is_shared: true,
  })
  expect(await call(listViews)).toHaveLength(1)
  expect(await call(removeView, { params })).toEqual({ status: 'success' })
  expect(await call(listViews)).toEqual([])
  expect((await answer(removeView, { params })).status).toBe(404)
})

test('a shared view is seen in the organization and changed by its owner alone; others see neither', async () => {
  const { world, call, org_id, username } = await anOrg()
  const colleague = await aMember(world, org_id)
  const theirs = await anOrg({ world })
  const mine = await call(createView, { body: { name: 'Mine', query: 'q=kev' } })
  const shared = await call(createView, { body: { name: 'Ours', query: 'q=wild', is_shared: true } })

  expect(names(await colleague.call(listViews))).toEqual(['Ours'])
  expect((await colleague.call(listViews))[0]).toMatchObject({ is_own: false, owner: username })
  expect(await theirs.call(listViews)).toEqual([])
  for (const { answer } of [colleague, theirs])
    for (const { id } of [mine, shared]) {
      expect((await answer(updateView, { params: { id }, body: { name: 'Taken' } })).status).toBe(404)
      expect((await answer(removeView, { params: { id } })).status).toBe(404)
    }
  expect(names(await call(listViews))).toEqual(['Mine', 'Ours'])
})

test('a view that alerts go by is changed by users with the right to alert settings, whoever owns it, and the log says so', async () => {
  const { world, call, org_id } = await anOrg({ is_org_admin: true })
  const plain = await aMember(world, org_id)
  const own = { name: 'Ours', query: 'q=kev', is_shared: true }
  const [theirs, mine] = [await plain.call(createView, { body: own }), await call(createView, { body: own })]
  await call(updateChannel, { params: { channel: 'email' }, body: { views: [theirs.id, mine.id] } })
  const narrow = { query: 'q=kev AND wild' }
  expect((await plain.answer(updateView, { params: { id: theirs.id }, body: narrow })).status).toBe(403)
  expect(await plain.call(updateView, { params: { id: theirs.id }, body: { ...own, name: 'Named' } })).toMatchObject({
    name: 'Named',
  })
  expect(await call(updateView, { params: { id: mine.id }, body: narrow })).toMatchObject(narrow)
  const { results } = await call(listAudit)
  expect(results.filter(({ action }) => action === 'view.update')).toMatchObject([{ target: 'Ours' }])
})

test('a name is taken once per person, and a view that nobody could open is not saved', async () => {
  const { world, call, answer, username } = await anOrg()
  const { id } = await call(createView, { body: { name: 'A', query: '' } })
  const other = await call(createView, { body: { name: 'B', query: '' } })
  const again = await answer(createView, { body: { name: 'A', query: 'q=kev' } })
  expect([again.status, await again.json()]).toMatchObject([409, { message: 'You already have a view of this name' }])
  expect((await answer(updateView, { params: { id: other.id }, body: { name: 'A' } })).status).toBe(409)
  expect((await answer(updateView, { params: { id }, body: { name: 'A' } })).status).toBe(200)
  const wrong = [
    { name: '', query: '' },
    { name: 'x'.repeat(81), query: '' },
    { name: 'C', query: 'q=cvss3>%3Dhigh' },
    { name: 'C', query: 'sorted_by=nothing' },
    { name: 'C', query: 'x'.repeat(5_000) },
    { name: 'C' },
  ]
  for (const body of wrong) expect([body, (await answer(createView, { body })).status]).toEqual([body, 400])
  expect(await (await signInByPassword(world, username)).call(listViews)).toHaveLength(2)
  const renamed = [id, other.id].map((one) => answer(updateView, { params: { id: one }, body: { name: 'D' } }))
  expect((await Promise.all(renamed)).map(({ status }) => status).toSorted()).toEqual([200, 409])
})

test('there is an end to the views of one person', async () => {
  const { call, answer } = await anOrg()
  for (let at = 0; at < maxViews; at++) await call(createView, { body: { name: `View ${at}`, query: '' } })
  expect((await answer(createView, { body: { name: 'One more', query: '' } })).status).toBe(409)
})
