import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { AsnParser, ECDSASigValue } from '../../worker/auth/second-factor/no-certificates'

const parse = (der: Uint8Array) => AsnParser.parse(der, ECDSASigValue)
const data = Buffer.from('signed by an authenticator')

test.each([
  ['P-256', 32],
  ['P-384', 48],
  ['P-521', 66],
])('both numbers of signatures by %s are read', (namedCurve, size) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve })
  const pad = (bytes: Uint8Array) => Buffer.concat([Buffer.alloc(size), bytes]).subarray(-size)
  for (let time = 0; time < 200; time++) {
    const { r, s } = parse(sign('sha256', data, privateKey))
    const plain = Buffer.concat([pad(r), pad(s)])
    expect(verify('sha256', data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, plain)).toBe(true)
  }
})

test.each([
  '',
  '30',
  '3006020101',
  '300602010102010100',
  '3006020181020101',
  '3106020101020101',
  '30060201010201',
  '300402000200',
  '3006030101020101',
])('no other bytes are taken for one: %s', (hex) => expect(() => parse(Buffer.from(hex, 'hex'))).toThrow('not read'))
