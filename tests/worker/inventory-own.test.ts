import { expect, test } from 'vitest'
import { addVuln } from '../../worker/editing/contract'
import { merge, nextNumber, send } from './support/inventory-scene'
import { anOrg } from './support/org'
import { aWorld } from './support/world'

test('a component is found by what the organization alone wrote of its product', async () => {
  const world = aWorld()
  const [ours, theirs] = [await anOrg({ world, is_org_admin: true }), await anOrg({ world })]
  const [product, cveid] = [`own${nextNumber()}`, `CVE-2031-${20_000 + nextNumber()}`]
  await merge(world, { cveid, affected: [{ vendor: 'acme', product, ranges: ['a:1.0'] }] })
  await merge(world, { cveid, state: 'rejected' })
  await ours.call(addVuln, { body: { summary: 'A flaw of our own product', products: [`acme:${product}`] } })
  const cpe = `cpe:2.3:a:acme:${product}:1.0:*:*:*:*:*:*:*`
  expect(await send(ours, 'own', [cpe])).toMatchObject({
    components: { unmatched: { count: 0 } },
    findings: { new: { count: 1, first: [{ component: 'part0', version: '1.0' }] } },
  })
  expect(await send(theirs, 'own', [cpe])).toMatchObject({ findings: { new: { count: 0 } } })
})
