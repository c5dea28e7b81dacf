import { createTotp, updateProfile, verifyTotp } from '../../../worker/account/contract'
import { type anOrg, postJson } from './org'
import type { World } from './world'
import { currentCode, password } from '../../support/credentials'

export type Org = Awaited<ReturnType<typeof anOrg>>
type ClientPlace = { ip?: string; device?: string }
export type SignInAnswer = {
  status: number
  retry_after: string | null
  body: Record<string, unknown> & { token?: string; access?: string; refresh?: string; code?: string; detail?: string }
}

/** A public call from an address and a device. */
export async function post(
  world: World,
  path: string,
  body: unknown,
  { ip, device }: ClientPlace = {},
): Promise<SignInAnswer> {
  const headers = { ...(ip && { 'cf-connecting-ip': ip }), ...(device && { 'user-agent': device }) }
  const response = await postJson(world, path, body, headers)
  return {
    status: response.status,
    retry_after: response.headers.get('retry-after'),
    body: (await response.json()) as SignInAnswer['body'],
  }
}

export const obtain = (world: World, given: { username: string; password?: string }, place?: ClientPlace) =>
  post(world, '/api/public/jwt-auth/obtain-token/', { password, ...given }, place)

export const postTotp = (world: World, eph_token: string | undefined, code: string, place?: ClientPlace) =>
  post(world, `/users/profile/totp/login/${code}/`, { eph_token }, place)

export const postRecoveryCode = (world: World, eph_token: string | undefined, code: string, place?: ClientPlace) =>
  post(world, '/api/public/mfa/recovery', { eph_token, code }, place)

/** A code that is none of those in force. */
export const wrongCode = (secret: string) =>
  ['000000', '111111', '222222', '333333'].find((code) => ![-1, 0, 1].some((at) => currentCode(secret, at) === code)) ??
  ''

/** Switches the second factor on, with the code of the step before: the current one stays unused. */
export async function withTotp({ call }: Pick<Org, 'call'>) {
  const { secret } = await call(createTotp, { body: {} })
  const verified = await call(verifyTotp, { body: { otp: currentCode(secret, -1) } })
  const { recovery_codes = [] } = await call(updateProfile, { body: { mfa_enabled: true } })
  return { secret, verified, recovery_codes }
}
