import { expect, test } from 'vitest'
import { listVulns } from '../../worker/vulns/contract'
import { getVuln, vulnHistory } from '../../worker/vulns/detail/contract'
import { anOrg } from './support/org'
import { aCve } from '../support/records'
import { aFeedsScene, minutes } from './support/feeds-scene'

test('the catalogue of the EU marks its vulnerability, in both spellings of the list, and by its own id', async () => {
  const { origins, world, sync, feed, restore } = aFeedsScene()
  const entry = {
    cveID: 'CVE-2024-10001',
    euvdID: 'EUVD-2024-1',
    vendorProject: 'Acme',
    product: 'Widget, Gadget',
    dateReported: '2026/08/17',
    patchedSince: '2026/08/20',
    originSource: 'CERT.PL',
    shortDescription: 'A door without a lock',
    exploitationType: ['ransomware'],
  }
  const older = { ...entry, cveID: undefined, euvdID: 'EUVD-2024-2', exploitationType: '-', patchedSince: 'tbc' }
  let list: object[] = [entry, older, { ...entry, dateReported: 'soon' }]
  origins.instead = (url) => (url.host === 'eukev.test' ? Response.json(list) : null)
  origins.files.set(2024, [aCve('CVE-2024-10001')])
  await sync()
  const { call } = await anOrg({ world })
  const [known] = (await call(listVulns, { query: { search: 'EUVD-2024-1' } })).results
  expect(known).toMatchObject({ cveid: 'CVE-2024-10001', is_in_the_wild: true, is_exploitable: true, kev: null })
  const { exploited_by } = await call(getVuln, { params: { id: known?.id ?? 0 } })
  expect(exploited_by).toMatchObject([{ by: 'eu', name: 'EU KEV', added: '2026-08-17' }])
  expect(exploited_by[0]?.notes).toBe(
    'Known to be exploited; reported by CERT.PL; used by ransomware; patched since 2026-08-20; exploited before there was a patch',
  )
  const foundBy = async (by: string) =>
    (await call(listVulns, { query: { q: `exploited by:${by}` } })).results.map(({ known_as }) => known_as).toSorted()
  expect(await foundBy('eu')).toEqual(['CVE-2024-10001', 'EUVD-2024-2'])
  expect(await foundBy('any')).toEqual(['CVE-2024-10001', 'EUVD-2024-2'])
  expect(await foundBy('cisa')).toEqual([])
  expect((await call(listVulns, { query: { exploited_by: 'eu', search: 'EUVD-2024-2' } })).count).toBe(1)
  const [awaiting] = (await call(listVulns, { query: { search: 'EUVD-2024-2' } })).results
  expect(awaiting).toMatchObject({ state: 'awaiting', known_as: 'EUVD-2024-2', is_in_the_wild: true })
  expect((await call(listVulns, { query: { search: 'GCVE-0-2024-10001' } })).results).toMatchObject([{ id: known?.id }])
  expect(await feed('eukev')).toMatchObject({ state: 'idle', last_error: null })

  list = [older]
  await sync(minutes(60))
  const detail = () => call(getVuln, { params: { id: known?.id ?? 0 } })
  expect(await detail()).toMatchObject({
    is_in_the_wild: false,
    exploited_by: [
      { by: 'eu', exploited: true, added: '2026-08-17', withdrawn: minutes(60).toISOString().slice(0, 10) },
    ],
  })
  expect(await foundBy('eu')).toEqual(['EUVD-2024-2'])

  list = [entry, older]
  await sync(minutes(120))
  expect(await detail()).toMatchObject({ is_in_the_wild: true, exploited_by: [{ by: 'eu', withdrawn: null }] })
  const history = await call(vulnHistory, { params: { id: known?.id ?? 0 } })
  const told = history.flatMap(({ changes }) => changes).filter((change) => change.includes('EU KEV'))
  expect(told).toEqual(['No longer called exploited by EU KEV', 'First claim that it is exploited: by EU KEV'])
  restore()
})
