import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listProductAliases, listVendorAliases, productAliases, vendorAliases } from '../../worker/domain/names/aliases'
import { findBranch } from '../../worker/domain/versions/branch'
import { findLikeness, indexNames } from '../../worker/domain/names/look-alikes'
import { parseName, resolveAlias } from '../../worker/domain/names/product-names'
import { itemName, readableName } from '../../worker/domain/names/product'
import { listTechniques } from '../../worker/domain/scores/techniques'
import { readKevNames } from '../../worker/feeds/signals/kev-names'
import { quoteCell, unquoteCell } from '../../worker/monitoring/cells'

test.each([
  [
    'Citrix',
    'NetScaler ADC and NetScaler Gateway',
    'citrix:netscaler_application_delivery_controller citrix:netscaler_gateway',
  ],
  ['Cisco', 'IOS and IOS XE Software', 'cisco:ios_xe cisco:ios'],
  ['Cisco', 'IOS XR', 'cisco:ios_xr'],
  ['Google', 'Chromium V8', 'google:chrome'],
  ['Android', 'Framework', 'google:android'],
  ['Mozilla', 'Firefox and Thunderbird', 'mozilla:thunderbird mozilla:firefox'],
  ['Linux', 'Kernel', 'linux:linux_kernel'],
  ['Microsoft', 'Exchange Server', 'microsoft:exchange_server'],
  ['Palo Alto Networks', 'PAN-OS', 'paloaltonetworks:pan-os'],
  ['Apache', 'HTTP Server', 'apache:http_server'],
  [
    'Ivanti',
    'Connect Secure, Policy Secure, and ZTA Gateways',
    'ivanti:connect_secure ivanti:policy_secure ivanti:neurons_for_zero-trust_access',
  ],
  ['Unheard', 'of', 'unheard:of'],
])('KEV writes %s, %s', (vendor, product, names) => {
  const found = readKevNames(vendor, product).map((one) => `${one.vendor}:${one.product}`)
  expect(found.toSorted()).toEqual(names.split(' ').toSorted())
})

test('apache_software_foundation:apache_http_server is apache:http_server, in CPE names as in words', () => {
  const meant = { vendor: 'apache', product: 'http_server' }
  expect(resolveAlias({ vendor: 'apache_software_foundation', product: 'apache_http_server' })).toEqual(meant)
  expect(parseName('Apache Software Foundation', 'Apache HTTP Server')).toEqual(meant)
  expect(listVendorAliases('apache')).toEqual([{ name: 'apache_software_foundation', fact: 'cve' }])
  expect(listProductAliases('linux', 'linux_kernel')).toEqual([
    { name: 'linux:linux', fact: 'cve' },
    { name: 'linux:kernel', fact: 'kev' },
  ])
})

test('the target of an alias has no other name itself', () => {
  const meant = [...productAliases].map(([name, product]) => {
    const [vendor = ''] = name.split(':')
    const [first = '', second] = product.split(':')
    return second === undefined ? { vendor, product: first } : { vendor: first, product: second }
  })
  expect(meant.filter((one) => JSON.stringify(resolveAlias(one)) !== JSON.stringify(one))).toEqual([])
  expect([...vendorAliases.values()].filter((vendor) => vendorAliases.has(vendor))).toEqual([])
})

test.each([
  ['3.5.4', '3.5.x'],
  ['1.1.1k', '1.1.1x'],
  ['9.3', '9.x'],
  ['7', '7'],
  ['v2.0.1-rc1', '2.0.x'],
  ['15.3(3)m2', '15.x'],
  ['r37p0', 'r37'],
  ['r2 sp1', 'r2'],
  ['V7', '7'],
])('%s belongs to %s', (version, branch) => expect(findBranch(version)).toBe(branch))

test('T1190 stands for what is reached over a network without an account, and the techniques of a weakness say so', () => {
  const ofWeakness = [
    { external_id: 'T1190', url: 'https://x', description: 'x' },
    { external_id: 'T1059', url: 'https://y', description: 'y' },
  ]
  const reasons = (vector: string | null, authentication: string) =>
    listTechniques(ofWeakness, { vector, authentication }).map(({ external_id, reason }) => [external_id, reason])
  expect(reasons('NETWORK', 'NONE')).toEqual([
    ['T1190', 'exposure'],
    ['T1059', 'weakness'],
  ])
  expect(reasons('LOCAL', 'NONE')).toEqual([['T1059', 'weakness']])
  for (const vector of ['NETWORK', null])
    expect(reasons(vector, 'SINGLE')).toEqual([
      ['T1190', 'weakness'],
      ['T1059', 'weakness'],
    ])
})

test.each([
  ['windows_server_2008', 'Windows Server 2008'],
  ['windows_server_2012_r2', 'Windows Server 2012 R2'],
  ['windows_10_22h2', 'Windows 10 22H2'],
  ['mac_os_x', 'Mac OS X'],
  ['iphone_os', 'iPhone OS'],
  ['linux_kernel', 'Linux Kernel'],
  ['http_server', 'HTTP Server'],
  ['openssl', 'OpenSSL'],
  ['log4j', 'Log4j'],
  ['log4j-core', 'Log4j-Core'],
  ['dir-823g', 'DIR-823G'],
  ['tl-wvr4300l_firmware', 'TL-WVR4300L Firmware'],
  ['core_i3-7300_firmware', 'Core i3-7300 Firmware'],
  ['xeon_e5-2620_v3_firmware', 'Xeon E5-2620 v3 Firmware'],
  ['air_sdk_&_compiler', 'Air SDK & Compiler'],
  ['data_protection_for_vmware', 'Data Protection for VMware'],
  ['rhel_e4s', 'RHEL E4S'],
  ['asp.net', 'ASP.NET'],
  ['pan-os', 'PAN-OS'],
  ['Citrix ADC', 'Citrix ADC'],
  ['', ''],
])('%s is shown as %s', (name, words) => expect(readableName(name)).toBe(words))

test.each([
  ['product', 'microsoft', 'windows_7', 'Microsoft · Windows 7'],
  ['product', 'paloaltonetworks', 'pan-os', 'Palo Alto Networks · PAN-OS'],
  ['product', 'openssl', 'openssl', 'OpenSSL · OpenSSL'],
  ['vendor', null, 'paloaltonetworks', 'Palo Alto Networks'],
  ['package', 'npm', 'left_pad', 'npm · left_pad'],
  ['inventory', null, 'my_shop', 'my_shop'],
])('a text names the %s %s:%s as people do', (via, vendor, name, words) => {
  expect(itemName({ via, vendor, name })).toBe(words)
})

test.each([
  ['lodash', 'lodahs', 'swapped'],
  ['lodash', 'lodasj', 'letter'],
  ['lodash', 'loadash', 'letter'],
  ['lodash', 'lodas', 'letter'],
  ['cookie-parser', 'parser-cookie', 'swapped'],
  ['@ctrl/tinycolor', 'tinycolor', 'scope'],
  ['@ctrl/tinycolor', 'ctrl-tinycolor', 'scope'],
  ['@types/node', 'node', null],
  ['log4j', 'log4j2', null],
  ['vue-2', 'vue-3', null],
  ['chalk', 'chal', null],
  ['lodash', 'lodash', null],
  ['lodash', 'loda', null],
  ['lodash', 'underscore', null],
])('beside %s, %s looks %s', (known, name, likeness) => {
  expect(findLikeness(name, known)).toBe(likeness)
  const found = indexNames([{ type: 'npm', name: known }])({ type: 'npm', name })
  expect(found.map((one) => one.likeness)).toEqual(likeness === null ? [] : [likeness])
  expect(indexNames([{ type: 'pypi', name: known }])({ type: 'npm', name })).toEqual([])
})

test('the index finds what comparing each with each finds', () => {
  const names = fc.array(fc.stringMatching(/^@?[ab]{1,3}[/-]?[abc-]{3,5}$/), { minLength: 2, maxLength: 60 })
  fc.assert(
    fc.property(names, names, (known, others) => {
      const find = indexNames(known.map((name) => ({ type: 'npm', name })))
      const found = others.map((name) => find({ type: 'npm', name }).map((one) => one.known.name))
      const compared = others.map((name) =>
        known.includes(name) ? [] : known.filter((one) => findLikeness(name, one) !== null),
      )
      expect(found.map((list) => list.toSorted())).toEqual(compared.map((list) => list.toSorted()))
    }),
    { numRuns: 30 },
  )
})

test('a formula is quoted, and read back as it was', () => {
  fc.assert(fc.property(fc.string(), (text) => unquoteCell(quoteCell(text)) === text))
  for (const sign of ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\n=']) {
    expect(quoteCell(`${sign}cmd()`)).toBe(`'${sign}cmd()`)
    expect(quoteCell(`1.0;${sign}cmd()`)).toBe(`1.0;'${sign}cmd()`)
  }
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("'", ';', '=', '＝', 'a') }),
      (text) => unquoteCell(quoteCell(text)) === text,
    ),
  )
})
