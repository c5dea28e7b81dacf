import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { ProductDetail } from '../../worker/kb/contract'
import { signInAs } from './support/account'
import { atHome } from './support/answers'
import { aPage, aProduct } from './support/rows'
import { fakeServer } from './support/server'
import { visit } from './support/visit'

const aDetail = (versions: string[]): ProductDetail => ({
  ...aProduct(),
  versions: versions.map((version, at) => ({ id: at + 1, version, branch: version })),
  versions_count: versions.length,
  lifecycles: [],
  aliases: [],
  namesakes: [],
})

test('versions stand by their branch, and other names of a product are listed', async () => {
  signInAs()
  const versions = ['3.5.3', '1.1.1k', '3.5.4'].map((version, id) => ({
    id,
    version,
    branch: version.startsWith('3') ? '3.5.x' : '1.1.1x',
  }))
  const aliases = [{ name: 'openssl_project:openssl', fact: 'cve' as const }]
  const namesakes = [{ id: 9, vendor: 'redhat', vulns_count: 10, monitored: false }]
  const body = { ...aDetail([]), versions, versions_count: 3, aliases, namesakes }
  fakeServer({
    ...atHome,
    'GET /api/kb/detailed-products/7/': () => ({ body }),
    'GET /api/vulns/': () => ({ body: aPage([]) }),
  })
  visit('/product/7')
  const branch = await screen.findByRole('list', { name: 'Versions 3.5.x' })
  expect(
    within(branch)
      .getAllByRole('button')
      .map(({ textContent }) => textContent),
  ).toEqual(['3.5.4', '3.5.3'])
  expect(within(screen.getByRole('list', { name: 'Versions 1.1.1x' })).getByText('1.1.1k')).toBeTruthy()
  expect(screen.getByText('openssl_project:openssl').textContent).toBe('openssl_project:openssl in CVE records')
  const other = screen.getByRole('link', { name: 'Red Hat' })
  expect([other.getAttribute('href'), other.parentElement?.textContent]).toEqual([
    '/product/9',
    'Red Hat 10 vulnerabilities, not monitored',
  ])
})

test('nobody is told that nothing affects a version while some could not be judged', async () => {
  signInAs()
  fakeServer({
    ...atHome,
    'GET /api/kb/detailed-products/7/': () => ({ body: aDetail(['1.0']) }),
    'GET /api/vulns/': () => ({ body: { ...aPage([]), unjudged: 3 } }),
  })
  visit('/product/7?product_version=1.0')
  expect(await screen.findByText('For 3 vulnerabilities, it is not known whether 1.0 is affected.')).toBeTruthy()
  expect(await screen.findByText('None of the checked vulnerabilities is known to affect 1.0')).toBeTruthy()
  expect(screen.queryByText('No known vulnerability affects 1.0')).toBeNull()
})

test('until when releases are supported stands beside the versions, the release of the chosen one first', async () => {
  signInAs()
  const release = { fixes_until: null, label: '', latest: null, until: null }
  const lifecycles = [
    {
      label: 'OpenSSL',
      link: 'https://endoflife.date/openssl',
      pinned: null,
      releases: [
        { ...release, name: '4.0', label: '4.0', state: 'supported' as const, until: '2027-05-14', latest: '4.0.1' },
        { ...release, name: '3.0', label: '3.0 (LTS)', state: 'ended' as const, until: '2026-09-07' },
        { ...release, name: '1.1.1', label: '1.1.1', state: 'extended' as const },
        { ...release, name: '1.0.2', label: '1.0.2', state: 'ended' as const },
      ],
    },
  ]
  fakeServer({
    ...atHome,
    'GET /api/kb/detailed-products/7/': () => ({ body: { ...aDetail(['3.0.6']), lifecycles } }),
    'GET /api/vulns/': () => ({ body: aPage([]) }),
  })
  visit('/product/7?product_version=3.0.6')
  const section = within(await screen.findByRole('region', { name: 'Support of OpenSSL' }))
  expect(section.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    '3.0.6 is of 3.0 (LTS)Support ended on 2026-09-07',
    '4.0Supported until 2027-05-14newest 4.0.1',
    '1.1.1Ended; extended support',
    '1.0.2Support ended',
  ])
  expect(section.getByRole('link', { name: 'By endoflife.date' })).toBeTruthy()
})
