import { expect, test } from 'vitest'
import { listMonitored } from '../../worker/monitoring/contract'
import { aListedWorld, addCsv, csv } from './support/lists'
import { anOrg } from './support/org'

const log4j = 'pkg:maven/org.apache.logging.log4j/log4j-core'

test('a purl of a list is watched in its version, and several of a package in theirs', async () => {
  const org = await anOrg({ world: await aListedWorld(), is_org_admin: true })
  expect(await addCsv(org, csv(`package,${log4j}@2.14.1,`, `package,${log4j}@2.17.0,`))).toMatchObject({
    added: 1,
    unknown: [],
    repeated: [{ line: 3, first: 2 }],
  })
  const { results } = await org.call(listMonitored, { params: { kind: 'packages' } })
  expect(results.map(({ versions }) => versions)).toEqual([['2.14.1', '2.17.0']])
  // A column of versions says more.
  const said = ['type,value,versions', `package,${log4j}@2.14.1,2.20.0`, ''].join('\r\n')
  expect(await addCsv(org, said)).toMatchObject({ changed: 1 })
  expect((await org.call(listMonitored, { params: { kind: 'packages' } })).results[0]?.versions).toEqual(['2.20.0'])
  const many = Array.from({ length: 21 }, (_, at) => `package,${log4j}@3.${at},`)
  expect(await addCsv(org, csv(...many))).toMatchObject({ unknown: [{ line: 22, reason: 'At most 20 versions' }] })
})
