import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Cpe, cpeFromTail, cpeParts, cpeTail, formatCpe, parseCpe } from '../../worker/domain/names/cpe'

const anyProduct: Cpe = {
  part: 'a',
  vendor: '*',
  product: '*',
  version: '*',
  update: '*',
  edition: '*',
  language: '*',
  sw_edition: '*',
  target_sw: '*',
  target_hw: '*',
  other: '*',
}

test.each<[string, Partial<Cpe>]>([
  [
    'cpe:2.3:a:apache:log4j:2.0:beta9:*:*:*:*:*:*',
    { vendor: 'apache', product: 'log4j', version: '2.0', update: 'beta9' },
  ],
  ['cpe:2.3:h:cisco:asa_5500:-:*:*:*:*:*:*:*', { part: 'h', vendor: 'cisco', product: 'asa_5500', version: '-' }],
  ['cpe:2.3:a:joomla:joomla\\!:*:*:*:*:*:*:*:*', { vendor: 'joomla', product: 'joomla!' }],
  [
    'cpe:2.3:a:ibm:sterling_connect\\:direct:6.3:*:*:*:*:*:*:*',
    { vendor: 'ibm', product: 'sterling_connect:direct', version: '6.3' },
  ],
  [
    'cpe:2.3:o:cisco:ios:12.2\\(11\\)ja:*:*:*:*:*:*:*',
    { part: 'o', vendor: 'cisco', product: 'ios', version: '12.2(11)ja' },
  ],
  [
    'CPE:2.3:o:Microsoft:Windows_Server_2012_R2:*:*:*:*:*:*:X64:*',
    { part: 'o', vendor: 'microsoft', product: 'windows_server_2012_r2', target_hw: 'x64' },
  ],
  ['cpe:2.3:a:v:backpack\\\\crud:2.1*:*:*:*:*:*:*:*', { vendor: 'v', product: 'backpack\\\\crud', version: '2.1*' }],
  ['cpe:2.3:a:v:p\\\\:1:*:*:*:*:*:*:*', { vendor: 'v', product: 'p\\\\', version: '1' }],
])('%s is read', (text, expected) => expect(parseCpe(text)).toEqual({ ...anyProduct, ...expected }))

test('a literal asterisk or hyphen is not taken for ANY or NA', () => {
  const literal = parseCpe('cpe:2.3:a:v:p:\\*:\\-:*:-:a\\-b:a\\*:*:*')
  expect(literal).toMatchObject({
    version: '\\*',
    update: '\\-',
    edition: '*',
    language: '-',
    sw_edition: 'a-b',
    target_sw: 'a\\*',
  })
})

test.each([
  ['cpe:/a:apache:log4j:2.0:beta9', 'cpe:2.3:a:apache:log4j:2.0:beta9:*:*:*:*:*:*'],
  ['cpe:/o:redhat:enterprise_linux:7::server', 'cpe:2.3:o:redhat:enterprise_linux:7:*:server:*:*:*:*:*'],
  ['cpe:/a:joomla:joomla%21:-:::en-us', 'cpe:2.3:a:joomla:joomla\\!:-:*:*:en-us:*:*:*:*'],
  ['cpe:/a:hp:insight:7.4.0.1570::~~online~win2003~x64~', 'cpe:2.3:a:hp:insight:7.4.0.1570:*:*:*:online:win2003:x64:*'],
  ['cpe:/a:foo:big%24money:9.%02:%2d:~%2a~~~~%5c', 'cpe:2.3:a:foo:big\\$money:9.*:\\-:\\*:*:*:*:*:\\\\'],
  ['cpe:/h', 'cpe:2.3:h:*:*:*:*:*:*:*:*:*:*'],
])('the URI %s is the name %s', (uri, formatted) => {
  const cpe = parseCpe(uri)
  expect(cpe && formatCpe(cpe)).toBe(formatted)
})

test.each([
  '',
  'log4j',
  'cpe:2.3:a:ibm:sterling_connect:direct:6.3.0.0:*:*:*:*:windows:*:*',
  'cpe:2.3:a:apache:log4j:2.0',
  'cpe:2.3:a:apache:log4j::*:*:*:*:*:*:*',
  'cpe:2.3:x:apache:log4j:*:*:*:*:*:*:*:*',
  'cpe:2.3:*:apache:log4j:*:*:*:*:*:*:*:*',
  'cpe:2.3:a:apache:log4j:*:*:*:*:*:*:*:\\',
  'cpe:/',
  'cpe:/a:1:2:3:4:5:6:7',
  'pkg:npm/left-pad@1.3.0',
])('%j is no name', (text) => expect(parseCpe(text)).toBeNull())

test.each([
  ['cpe:2.3:a:v:p:1.0.1:beta1:*:*:*:*:*:*', 'a:1.0.1:beta1'],
  ['cpe:2.3:h:v:p:*:*:*:*:*:*:*:*', 'h'],
  ['cpe:2.3:o:v:p:-:*:*:*:*:*:x64:*', 'o:-:*:*:*:*:*:x64'],
  ['cpe:2.3:a:v:p:1\\:*:*:*:*:*:*:*:*', 'a:1\\:*'],
  ['cpe:2.3:a:v:p:*:*:*:*:*:*:*:\\*', 'a:*:*:*:*:*:*:*:\\*'],
])('the tail of %s is %s, and gives it back', (formatted, tail) => {
  const cpe = parseCpe(formatted)
  expect(cpe && cpeTail(cpe)).toBe(tail)
  expect(cpeFromTail('v', 'p', tail)).toBe(formatted)
})

const units = String.raw`a z 0 _ . - * ? é \a \- \. \: \* \? \\ \~ \! \[ \@`.split(' ')
const formattedValue = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom('*', '-', '\\*', '\\-') },
  {
    weight: 3,
    arbitrary: fc.array(fc.constantFrom(...units), { minLength: 1, maxLength: 8 }).map((chosen) => chosen.join('')),
  },
)
const formattedName = fc
  .tuple(fc.constantFrom(...cpeParts), fc.array(formattedValue, { minLength: 10, maxLength: 10 }))
  .map(([part, values]) => `cpe:2.3:${[part, ...values].join(':')}`)
const aCpe = formattedName.map((text) => parseCpe(text) ?? anyProduct)

test('every well-formed name is read', () => {
  fc.assert(fc.property(formattedName, (text) => void expect(parseCpe(text)).not.toBeNull()))
})

test('writing a name and reading it again changes nothing', () => {
  fc.assert(fc.property(aCpe, (cpe) => void expect(parseCpe(formatCpe(cpe))).toEqual(cpe)))
})

test('names that differ are written differently', () => {
  fc.assert(
    fc.property(aCpe, aCpe, fc.constantFrom('product', 'version', 'other'), (a, b, key) => {
      const changed = { ...a, [key]: b[key] }
      expect(formatCpe(changed) === formatCpe(a)).toBe(a[key] === b[key])
    }),
  )
})

test('vendor, product and tail are the whole name', () => {
  fc.assert(
    fc.property(aCpe, (cpe) => void expect(cpeFromTail(cpe.vendor, cpe.product, cpeTail(cpe))).toBe(formatCpe(cpe))),
  )
})

test('any text at all is read or refused', () => {
  fc.assert(
    fc.property(fc.constantFrom('', 'cpe:/', 'cpe:/a:', 'cpe:2.3:a:'), fc.string(), (prefix, text) => {
      const cpe = parseCpe(prefix + text)
      if (cpe) expect(formatCpe(cpe)).toMatch(/^cpe:2\.3:[aoh]:/)
    }),
  )
})
