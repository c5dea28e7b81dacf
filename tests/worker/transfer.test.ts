import { expect, test } from 'vitest'
import { listAudit } from '../../worker/orgs/contract'
import { exportOrg } from '../../worker/transfer/contract'
import { aMember } from './support/member'
import { anOwner, fillKnowledge, fillOrg, parseFile, takeOut } from './support/transfer-scene'
import { aWorld } from './support/world'

test('an admin takes out all that their organization watches and decided, without numbers and secrets', async () => {
  const world = aWorld()
  await fillKnowledge(world)
  const [org, other] = [await anOwner(world), await anOwner(world)]
  await fillOrg(other)
  const before = await takeOut(org)
  const { mate } = await fillOrg(org)
  const file = await takeOut(org)
  const lines = parseFile(file)
  expect(lines[0]).toMatchObject({ format: 'earshot-organization', version: 1, stays: expect.stringContaining('keys') })
  expect(lines.at(-1)).toEqual({ kind: 'end', records: lines.length - 2 })
  expect(new Set(lines.map(({ kind }) => kind)).size).toBe(13)
  for (const secret of ['SECRET', 'ORG-', '\u202e', other.username, `"id"`]) expect(file).not.toContain(secret)
  expect(file).toContain(mate.email)
  expect(parseFile(before).map(({ kind }) => kind)).toEqual([undefined, ...Array(6).fill('rules'), 'settings', 'end'])
  expect((await (await aMember(world, org.org_id)).answer(exportOrg)).status).toBe(403)
  expect((await org.call(listAudit)).results).toContainEqual(expect.objectContaining({ action: 'org.export' }))
})
