import { expect, test } from 'vitest'
import { aWorld } from './support/world'

test('those who found a hole are told whom to write to; other well-known addresses are no screens', async () => {
  const world = aWorld({ SUPPORT_EMAIL: 'security@earshot.test' })
  const answer = await world.request('/.well-known/security.txt')
  const text = await answer.text()
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  const fields = new Map(
    text
      .trim()
      .split('\n')
      .map((line) => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]),
  )
  expect([...fields.keys()]).toEqual(['Contact', 'Expires', 'Preferred-Languages', 'Canonical'])
  expect([fields.get('Contact'), fields.get('Canonical')]).toEqual([
    'mailto:security@earshot.test',
    'https://earshot.test/.well-known/security.txt',
  ])
  const days = (Date.parse(fields.get('Expires') ?? '') - Date.now()) / 86_400_000
  expect([days > 170, days < 365]).toEqual([true, true])
  expect(await (await aWorld().request('/.well-known/security.txt')).text()).toContain(
    'Contact: https://earshot.test/\n',
  )
  expect((await world.request('/.well-known/openid-configuration')).status).toBe(404)
})
