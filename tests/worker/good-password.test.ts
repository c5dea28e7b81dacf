import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { expect, test, vi } from 'vitest'
import { changePassword } from '../../worker/account/contract'
import { requireGoodPassword } from '../../worker/auth/password/good-password'
import { hashPassword, verifyPassword } from '../../worker/auth/password/password'
import { NewPassword } from '../../worker/domain/people/password'
import { commonList } from '../../worker/auth/password/common-list'
import { confirmReset } from '../../worker/auth/contract'
import { startTrial, acceptTrial } from '../../worker/auth/joining-contract'
import { tokenMailedTo } from './support/member'
import { anOrg, caller, expectAnswer } from './support/org'
import { aWorld } from './support/world'
import { post } from './support/sign-in'
import { password } from '../support/credentials'

const owner = { username: 'anna_mueller', email: 'anna.m@example.org', first_name: 'Anna', last_name: 'Müller' }

test.each([
  'Password1!',
  'P@ssw0rd-2026!',
  '!!!Dragon1',
  'Qwertyuiop1!',
  '$Sunshine123',
  'Ilovey0u!',
  'Anna-Banana-9!',
  'x-Müller-9!xx',
  'Anna_mueller#1',
  'Earshot-2026!',
  'My3arsh0t!pw',
])('%s is refused', async (poor) => {
  await expect(requireGoodPassword(poor, owner)).rejects.toThrow(/commonest|your name/)
})

test.each(['Aa1!Aa1!Aa1!', 'A!1'.repeat(80), `Aa1!${'x'.repeat(60)}`, 'Abcdefgh1!', 'Aaaaaaaa1!'])(
  '%s has all that the rules ask for, and is soon guessed',
  async (weak) => {
    expect(NewPassword.safeParse(weak).success).toBe(true)
    await expect(requireGoodPassword(weak, owner)).rejects.toThrow(/soon guessed/)
  },
)

test('of the longest password no more is estimated than takes milliseconds', async () => {
  const longest = ['@$3'.repeat(85), 'aA1!$@'.repeat(42), `${'Monkeydragon1!'.repeat(18)}`]
  const check = vi.spyOn(ZxcvbnFactory.prototype, 'check')
  for (const word of longest) await requireGoodPassword(word, owner).catch(() => undefined)
  expect(check.mock.calls.map(([word]) => String(word).length)).toEqual([64, 64, 64])
  check.mockRestore()
})

test.each([password, 'Other-Stable-8?', 'Vx9!kkq2Lm', 'Xk9!vqz2M', 'Blue-Anchor-Teapot-7', '漢字Großes9!zz'])(
  '%s is taken',
  async (good) => {
    await expect(requireGoodPassword(good, owner)).resolves.toBeUndefined()
  },
)

test('the packed list is small', () => {
  expect(commonList.length).toBeLessThan(32_000)
})

test('a password has nine characters or more, and is kept as a slow hash', async () => {
  expect(['Short-9!', 'Short-99!'].map((word) => NewPassword.safeParse(word).success)).toEqual([false, true])
  expect(await hashPassword(password)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

test('a password is taken to its last letter, as it was typed', async () => {
  const { world, username, call } = await anOrg()
  const long = ` ${'Langes Wort '.repeat(20)}9!ß `
  await call(changePassword, { body: { old_password: password, new_password1: long, new_password2: long } })
  const isIn = async (word: string) =>
    (await post(world, '/api/public/jwt-auth/obtain-token/', { username, password: word })).status === 200
  const others = [long.trim(), long.slice(0, -1), long.toLowerCase(), long.slice(0, 72)]
  expect([await isIn(long), ...(await Promise.all(others.map(isIn)))]).toEqual([true, false, false, false, false])
})

test('each form that takes a new password refuses a poor one, names the field and keeps its link', async () => {
  const world = aWorld()
  const org = await anOrg({ world })
  const poor = 'Password123!'
  await expectAnswer(
    org.answer(changePassword, {
      body: { old_password: password, new_password1: poor, new_password2: poor },
    }),
    400,
    { issues: [expect.objectContaining({ path: ['new_password1'] })] },
  )
  await post(world, '/password_reset/', { email: org.email })
  const token = await tokenMailedTo(world, org.email)
  const reset = (word: string) => caller(world, null).answer(confirmReset, { body: { token, password: word } })
  expect([(await reset(poor)).status, (await reset('Other-Stable-8?')).status]).toEqual([400, 200])

  const email = 'founder@example.net'
  await caller(world, null).call(startTrial, { body: { email, org_name: 'Engines' } })
  const link = await tokenMailedTo(world, email)
  const accept = (word: string) =>
    caller(world, null).answer(acceptTrial, {
      params: { token: link },
      body: { username: 'the_founder', password: word, password_confirm: word },
    })
  expect([
    (await accept(poor)).status,
    (await accept('Founder-99-!x')).status,
    (await accept(password)).status,
  ]).toEqual([400, 400, 200])
  expect(await world.sql`SELECT 1 FROM users WHERE username = 'the_founder'`).toHaveLength(1)
})

test('a password of one sign is wrong, whatever the sign is', async () => {
  const stored = await hashPassword(password)
  for (const short of ['', '\u0000', '\u0007', 'x']) expect(await verifyPassword(short, stored)).toBe(false)
  expect(await verifyPassword(password, stored)).toBe(true)
})
