import { expect, test } from 'vitest'
import { openDb } from '../../worker/db/open'
import type { VersionRange } from '../../worker/domain/words/record'
import { getPublicVuln } from '../../worker/public/contract'
import { addVuln } from '../../worker/editing/contract'
import { getInventory, setOwnProduct } from '../../worker/inventories/contract'
import { listComponents, listFindings } from '../../worker/inventories/finding-contract'
import { listUpgrades } from '../../worker/inventories/upgrade-contract'
import { rejudgeDue } from '../../worker/exposure/judge-due'
import { editStatus } from '../../worker/triage/contract'
import { listVulns } from '../../worker/vulns/contract'
import { getVuln } from '../../worker/vulns/detail/contract'
import { listDecision } from '../../worker/vulns/mail'
import { aVulnerablePackage, merge, nextNumber, now, send } from './support/inventory-scene'
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

test('an RPM as Syft writes it is the one of Red Hat, also by its source', async () => {
  const org = await anOrg()
  const number = nextNumber()
  const cveid = `CVE-2031-${20_000 + number}`
  const on = 'Red Hat Enterprise Linux 9'
  const ranges: VersionRange[] = [{ order: 'rpm', lt: '0:8.7p1-38.el9_4.1', on }]
  await merge(org.world, { cveid, packages: [{ type: 'rpm', name: `redhat/openssh${number}`, ranges }] }, 'redhat')
  const more = `?arch=x86_64&upstream=openssh${number}-8.7p1-38.el9.src.rpm&distro=rhel-9.4`
  await send(org, 'syft', [`pkg:rpm/rhel/openssh${number}-server@8.7p1-38.el9${more}`])
  await send(org, 'mended', [`pkg:rpm/rhel/openssh${number}@8.7p1-38.el9_4.1?distro=rhel-9.4`])
  expect((await org.call(listFindings, { params: { name: 'syft' } })).results).toMatchObject([
    { cveid, status: 'affected', confidence: 'confirmed', fixed_in: '0:8.7p1-38.el9_4.1' },
  ])
  expect((await org.call(listFindings, { params: { name: 'mended' } })).count).toBe(0)
})

test('a product that NVD gives no version is matched, judged and counted', async () => {
  const org = await anOrg()
  const product = `own${nextNumber()}`
  const affected = (tail: string) => [{ vendor: 'microsoft', product, ranges: [tail] }]
  const cveids = ['o:-:sp1', 'o:-:sp2', 'o:-'].map((tail) => ({ tail, cveid: `CVE-2031-${30_000 + nextNumber()}` }))
  for (const { tail, cveid } of cveids) await merge(org.world, { cveid, affected: affected(tail) }, 'nvd')
  await send(org, 'windows', [`cpe:2.3:o:microsoft:${product}:-:sp1:*:*:*:*:*:*`])
  const { results } = await org.call(listFindings, { params: { name: 'windows' } })
  expect(results.map(({ cveid, status }) => `${cveid} ${status}`).toSorted()).toEqual([
    `${cveids[0]?.cveid} affected`,
    `${cveids[2]?.cveid} affected`,
  ])
  const components = await org.call(listComponents, { params: { name: 'windows' } })
  expect(components.results).toMatchObject([{ judged_count: 3, open: 2, is_matched: true }])
})

test('an upgrade runs into no other exploited vulnerability of the package, and says which asks for more (Log4j)', async () => {
  const org = await anOrg()
  const name = `org.own:core${nextNumber()}`
  const cveids = ['44228', '45046', '44832', '5'].map(() => `CVE-2031-${40_000 + nextNumber()}`)
  const [, second = '', third = '', later = ''] = cveids
  const kev = { added: '2026-01-01', due: null, ransomware: false, name: 'x' }
  const bounds = [
    { ge: '2.0-beta9', lt: '2.15.0' },
    { ge: '2.0-beta9', lt: '2.16.0' },
    { ge: '2.15.0', lt: '2.17.1' },
    { ge: '3.0.0', lt: '3.0.2' },
  ]
  for (const [at, cveid] of cveids.entries())
    await merge(org.world, { cveid, packages: [{ type: 'maven', name, ranges: [{ order: 'maven', ...bounds[at] }] }] })
  const open = async () => {
    await send(org, 'shop', [`pkg:maven/${name.replace(':', '/')}@2.14.1`])
    return (await org.call(listUpgrades, { params: { name: 'shop' } })).results
  }
  expect(await open()).toMatchObject([{ to: '2.16.0', because: [{ cveid: second }], closes: 2, still: [] }])
  await merge(org.world, { cveid: later, kev }, 'kev')
  const claim = {
    key: 'eukev',
    by: 'eu',
    name: 'EU KEV',
    exploited: true,
    reason: 'confirmed',
    added: '',
    notes: '',
  } as const
  await merge(org.world, { cveid: third, claims: [{ ...claim, link: '' }] }, 'eukev')
  expect(await open()).toMatchObject([{ to: '2.17.1', because: [{ cveid: third }], closes: 2, kev: 0, still: [] }])

  // So say the page of the first one, for members and for anybody, and its mail.
  const found = await org.call(listVulns, { query: { search: cveids[0] ?? '' } })
  const params = { id: found.results[0]?.id ?? 0 }
  const detail = await org.call(getVuln, { params })
  const advice = { name, first: '2.15.0', to: '2.17.1', because: [{ cveid: third }], still: [] }
  expect(detail.safe_upgrades).toMatchObject([advice])
  expect(detail.affected_packages).toMatchObject([{ fixed: ['2.15.0'] }])
  expect((await org.call(getPublicVuln, { params })).safe_upgrades).toMatchObject([advice])
  expect(listDecision(detail, detail)).toContainEqual({
    label: 'Upgrade to',
    value: `maven ${name} 2.17.1 instead of 2.15.0 because of ${third}`,
  })

  // Nor into a release that is itself an attack.
  await merge(org.world, { cveid: cveids[0] ?? '', claims: [{ ...claim, link: '' }] }, 'eukev')
  const packages = [{ type: 'maven', name, ranges: [{ order: 'maven' as const, is: '2.17.1' }] }]
  await merge(org.world, { cveid: 'MAL-2031-1', is_malicious: true, packages }, 'malicious')
  expect(await open()).toMatchObject([{ to: '2.17.1', kev: 1, still: [{ cveid: 'MAL-2031-1' }] }])
})

test('the first version that is not listed is the upgrade where no source names a fix', async () => {
  const org = await anOrg()
  const [product, cveid] = [`own${nextNumber()}`, `CVE-2031-${50_000 + nextNumber()}`]
  await merge(org.world, { cveid, affected: [{ vendor: 'acme', product, ranges: [{ cpe: 'h', lt: '2.0' }] }] }, 'nvd')
  await send(org, 'appliance', [`cpe:2.3:h:acme:${product}:1.0:*:*:*:*:*:*:*`])
  expect((await org.call(listUpgrades, { params: { name: 'appliance' } })).results).toMatchObject([
    { to: '2.0', because: [], vulns: [{ cveid, fixed_in: null, first_unlisted: '2.0' }] },
  ])
})

test('an upgrade is above what it is to close in its own branch, and closes nothing that affects it, too', async () => {
  const org = await anOrg()
  const name = `org.own:core${nextNumber()}`
  const bounds = [
    [
      { ge: '2.3.0', lt: '2.3.5' },
      { ge: '3.0.0', lt: '3.0.4' },
    ],
    [{ ge: '2.0', lt: '3.0.1' }],
    [
      { ge: '2.3.0', lt: '2.3.4' },
      { ge: '3.0.0', le: '3.9' },
    ],
  ]
  const cveids = bounds.map(() => `CVE-2031-${40_000 + nextNumber()}`)
  for (const [at, cveid] of cveids.entries()) {
    const ranges = (bounds[at] ?? []).map((one) => ({ order: 'maven' as const, ...one }))
    await merge(org.world, { cveid, packages: [{ type: 'maven', name, ranges }] })
  }
  await send(org, 'shop', [`pkg:maven/${name.replace(':', '/')}@2.3.0`])
  const { results } = await org.call(listUpgrades, { params: { name: 'shop' } })
  const advice = { to: '3.0.4', because: [{ cveid: cveids[0] }], still: [{ cveid: cveids[2] }], closes: 2 }
  expect(results).toMatchObject([advice])
  expect(results[0]?.vulns.map(({ cveid }) => cveid).toSorted()).toEqual(cveids.slice(0, 2).toSorted())
})

test('upgrades: one version closes several, exploited ones come first, and vulnerabilities marked fixed ask for none', async () => {
  const org = await anOrg()
  const [a, b] = [
    await aVulnerablePackage(org.world, { lt: '2.15.0' }),
    await aVulnerablePackage(org.world, { lt: '4.0' }),
  ]
  const more = `CVE-2031-${10_000 + nextNumber()}`
  await merge(org.world, {
    cveid: more,
    packages: [{ type: a.type, name: a.name, ranges: [{ order: 'maven', lt: '2.17.1' }] }],
  })
  await merge(
    org.world,
    { cveid: b.cveid, kev: { added: '2026-01-01', due: null, ransomware: false, name: 'x' } },
    'kev',
  )
  // Of two no source names a fix: they are counted at the component, and make a row where they are all that is open.
  const c = await aVulnerablePackage(org.world, { ranges: [{ order: 'maven', le: '9.0' }] })
  const endless = `CVE-2031-${10_000 + nextNumber()}`
  await merge(org.world, {
    cveid: endless,
    packages: [{ type: a.type, name: a.name, ranges: [{ order: 'maven', le: '9.0' }] }],
  })
  await send(org, 'shop', [a.purl('2.14.1'), b.purl('1.0'), c.purl('1.0')])
  const { results } = await org.call(listUpgrades, { params: { name: 'shop' } })
  expect(results.map(({ component, to, closes, kev, unfixed }) => [component, to, closes, kev, unfixed.count])).toEqual(
    [
      ['part1', '4.0', 1, 1, 0],
      ['part0', '2.17.1', 2, 0, 1],
      ['part2', null, 0, 0, 1],
    ],
  )
  const named = async (fix?: boolean) =>
    (await org.call(listFindings, { params: { name: 'shop' }, query: { ...(fix !== undefined && { fix }) } })).count
  expect([await named(), await named(true), await named(false)]).toEqual([5, 3, 2])

  // The document still has the version, so the finding stays and says it, and nothing is left to do first.
  const first = results[0]?.vulns[0]?.id ?? 0
  const marked = async (status: 'fixed' | 'undefined') => {
    await org.call(editStatus, { params: { id: first }, body: { status } })
    const found = await org.call(listFindings, { params: { name: 'shop' }, query: { vuln: first } })
    const { open } = await org.call(getInventory, { params: { name: 'shop' } })
    const { count } = await org.call(listUpgrades, { params: { name: 'shop' } })
    return [found.results.map(({ stated }) => stated?.status), open.unscored, count]
  }
  expect(await marked('fixed')).toEqual([['fixed'], 4, 2])
  expect(await marked('undefined')).toEqual([[undefined], 4, 3])
})

test('no upgrade is offered where nobody knows which of several fixes is the higher', async () => {
  const org = await anOrg()
  const fixedIn = (...ends: string[]) => ends.map((lt): VersionRange => ({ order: 'semver', lt }))
  const aPackage = async (type: string, ends: string[]) => {
    const [first, ...others] = ends.map((end) => fixedIn(end))
    const one = await aVulnerablePackage(org.world, { type, ...(first && { ranges: first }) })
    for (const ranges of others)
      await merge(org.world, {
        cveid: `CVE-2031-${10_000 + nextNumber()}`,
        packages: [{ type: one.type, name: one.name, ranges }],
      })
    return one.purl('1.0.0')
  }
  // Their source calls the ranges semver; by letters 1.9.0 would come last.
  await send(org, 'shop', [
    await aPackage('conan', ['1.9.0', '1.10.0']),
    await aPackage('conan', ['1.9.0', '1.9.0']),
    await aPackage('npm', ['1.9.0', '1.10.0']),
  ])
  const findings = await org.call(listFindings, { params: { name: 'shop' } })
  expect(findings.results.map(({ fixed_in }) => fixed_in).toSorted()).toEqual(
    ['1.10.0', '1.10.0', '1.9.0', '1.9.0', '1.9.0', '1.9.0'].toSorted(),
  )
  const { results } = await org.call(listUpgrades, { params: { name: 'shop' } })
  expect(
    results.map(({ component, to, closes, unfixed }) => [component, to, closes, unfixed.count]).toSorted(),
  ).toEqual([
    ['part0', null, 0, 2],
    ['part1', '1.9.0', 2, 0],
    ['part2', '1.10.0', 2, 0],
  ])
})

test('a document sent while a CVE was rejected has its finding once it no longer is', async () => {
  const org = await anOrg()
  const one = await aVulnerablePackage(org.world)
  await merge(org.world, { cveid: one.cveid, state: 'rejected' }, 'cve')
  await send(org, 'shop', [one.purl('2.14.1')])
  await merge(org.world, { cveid: one.cveid, modified: '2026-11-21T00:00:00Z' }, 'cve')
  await rejudgeDue(openDb(org.world.env), now)
  const { results } = await org.call(listFindings, { params: { name: 'shop' } })
  expect(results).toMatchObject([{ cveid: one.cveid, status: 'affected' }])
  expect((await org.call(listVulns, { query: { monitored: true } })).count).toBe(1)
})

test('the log says who took most of an inventory away by a document, and who marked or unmarked an own product', async () => {
  const org = await anOrg()
  const parts = ['a', 'b', 'c', 'd'].map((name) => `pkg:npm/${name}-of-nobody@1`)
  await send(org, 'shop', parts)
  await send(org, 'shop', [...parts.slice(0, 2), 'pkg:npm/e-of-nobody@1'])
  for (const is_own_product of [true, true, false, false])
    await org.call(setOwnProduct, { params: { name: 'shop' }, body: { is_own_product } })
  await send(org, 'shop', parts.slice(0, 1))
  const log = await org.world.sql`SELECT action, target, detail FROM audit_log WHERE org_id = ${org.org_id}
    ORDER BY seq`
  expect(log).toEqual([
    { action: 'inventory.own', target: 'shop', detail: '{"is_own_product":true}' },
    { action: 'inventory.own', target: 'shop', detail: '{"is_own_product":false}' },
    { action: 'inventory.empty', target: 'shop', detail: '{"removed":2,"left":1}' },
  ])
})
