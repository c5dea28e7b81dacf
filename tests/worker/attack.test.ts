import { expect, test } from 'vitest'
import { openDb } from '../../worker/db/open'
import { getWeakness, listWeaknesses } from '../../worker/taxonomy/contract'
import { findEachWeakness } from '../../worker/taxonomy/refs'
import { eachTest } from './support/each-test'
import { aTaxonomyScene, taxonomySettings, bundle, aRelationship, aPattern, aTechnique } from './support/taxonomy-scene'

const scene = eachTest(aTaxonomyScene)

test('CAPEC leads from a weakness to its patterns and techniques; deprecated patterns are left out', async () => {
  const { files, admin, sync } = scene
  await sync('cwe')
  await sync('attack')
  const deprecated = aPattern(64, { cwe: [79], more: { x_capec_status: 'Deprecated' } })
  files[taxonomySettings.CAPEC_URL] = () =>
    Response.json(bundle([aPattern(63, { cwe: [79, 787], attack: ['T1059.007'] }), deprecated, aRelationship]))
  expect(await sync('capec')).toMatchObject({ state: 'idle', records: 1, skipped: 0 })

  const javascript = {
    external_id: 'T1059.007',
    url: 'https://attack.mitre.org/techniques/T1059/007',
    description: 'JavaScript',
  }
  const detail = await admin.call(getWeakness, { params: { id: 'CWE-79' } })
  expect(detail.refs).toEqual({ CAPEC: ['CAPEC-63'], 'MITRE-ATTACK': [javascript] })
  expect(detail.patterns).toEqual([
    {
      capec_id: 'CAPEC-63',
      name: 'Pattern 63',
      description: 'An adversary acts.',
      likelihood: 'High',
      severity: 'Very High',
      technique_ids: ['T1059.007'],
    },
  ])
  expect(detail.techniques[0]).toMatchObject({
    name: 'JavaScript',
    description: 'Runs scripts in `sh`.',
    domains: ['enterprise'],
  })
  expect((await admin.call(listWeaknesses, { query: { search: 'cwe-787' } })).results[0]?.refs.CAPEC).toEqual([
    'CAPEC-63',
  ])
})

test('sub-techniques and all domains of ATT&CK come in, STIX 2.0 and 2.1; revoked and deprecated ones do not', async () => {
  const { world, files, sync } = scene
  files['https://attack.test/enterprise.json'] = () =>
    Response.json(
      bundle([
        aTechnique('T1059', 'Scripting'),
        aTechnique('T1059.001', 'PowerShell', ['enterprise-attack', 'ics-attack']),
        aTechnique('T1574.002', 'Old', ['enterprise-attack'], { revoked: true }),
        aTechnique('T1513', 'Older', ['enterprise-attack'], { x_mitre_deprecated: true }),
        { type: 'x-mitre-detection-strategy', name: 'DET' },
        { type: 'x-mitre-analytic', name: 'About "attack-pattern" objects' },
      ]),
    )
  const older = aTechnique('T0815', 'View', ['ics-attack'])
  older.external_references[0] = {
    source_name: 'mitre-ics-attack',
    external_id: 'T0815',
    url: 'https://attack.mitre.org/techniques/T0815',
  }
  files['https://attack.test/ics.json'] = () => Response.json(bundle([older]))
  expect(await sync('attack')).toMatchObject({ state: 'idle', records: 3, skipped: 0 })
  expect(await world.sql`SELECT external_id, domains FROM techniques ORDER BY external_id`).toEqual([
    { external_id: 'T0815', domains: '["ics"]' },
    { external_id: 'T1059', domains: '["enterprise"]' },
    { external_id: 'T1059.001', domains: '["enterprise","ics"]' },
  ])
})

test('a technique that ATT&CK has taken back is not named, and one domain that is down stops the run', async () => {
  const { world, files, sync } = scene
  await sync('attack')
  files[taxonomySettings.CAPEC_URL] = () =>
    Response.json(bundle([aPattern(63, { cwe: [79], attack: ['T1513', 'T1499'] })]))
  await sync('capec')
  const db = openDb(world.env)
  const { cwe_refs } = (await findEachWeakness(db, ['CWE-79']))(['CWE-79'])
  expect(cwe_refs['MITRE-ATTACK'].map((one) => one.external_id)).toEqual(['T1499'])

  files['https://attack.test/ics.json'] = () => new Response('', { status: 503 })
  expect(await sync('attack')).toMatchObject({ state: 'failed', last_error: expect.stringContaining('503') })
})
