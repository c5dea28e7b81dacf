import { canary, type Victim } from './victim'
import { password } from '../../support/credentials'

export const callers = [
  'anonymous',
  'foreignMember',
  'foreignAdmin',
  'disabled',
  'member',
  'orgAdmin',
  'admin',
  'readToken',
] as const
export type Caller = (typeof callers)[number]
/** Callers outside the victim's organization. */
export const strangers: Caller[] = ['anonymous', 'foreignMember', 'foreignAdmin', 'disabled']
export type WalkInput = Partial<Record<'params' | 'query' | 'body', Record<string, unknown>>>
export type Policy = [statuses: string, input?: (victim: Victim) => WalkInput]
/** Of the vulnerability that everybody sees. */
export const cveid = 'CVE-1999-0001'
export const registration = { username: 'walker_1', password, password_confirm: password }
export const own = '401 200 200 401 200 200 200 403'
export const reads = '401 200 200 401 200 200 200 200'
/** Admins of an organization may edit its metadata; the victim's is not the global admin's to see. */
export const metadataChange = '401 403 200 401 403 200 200 403'
export const metadataEdit = '401 403 404 401 403 200 404 403'
export const proofs = '401 400 400 401 400 400 400 403'
export const adminOnly = '401 403 403 401 403 403 200 403'
/** A private row of the victim's organization. */
export const ownRow = '401 404 404 401 200 200 404 200'
export const notOwn = '401 404 404 401 404 404 404 403'
export const memberChange: Policy = [
  '401 403 404 401 403 200 200 403',
  ({ org_id, target }) => ({ params: { org_id, user_id: target.user_id } }),
]
export const ofTarget = ({ target }: Victim): WalkInput => ({ params: { id: target.user_id } })
export const ofOrg = ({ org_id }: Victim): WalkInput => ({ params: { id: org_id, org_id } })
export const ofVuln = (): WalkInput => ({ params: { id: 1 } })
export const withLink = (more: Record<string, unknown> = {}): WalkInput => ({
  params: { id: 1 },
  body: { link: 'https://example.org/walk', ...more },
})
export const ofSearch = (): WalkInput => ({ query: { search: canary } })
export const withPassword = (): WalkInput => ({ body: { password: 'Wrong-Horse-9!' } })
export const withCode = (): WalkInput => ({ body: { eph_token: 'x', code: '00000-00000' }, params: { code: '000000' } })
export const assertion = (id: string) => ({
  id,
  rawId: id,
  type: 'public-key',
  response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'AA' },
  clientExtensionResults: {},
})
export const ofLink = (): WalkInput => ({ params: { token: 'x' }, body: registration })
/** A disabled user's token is invalid, but public calls need none. */
export const open = (status: number) => callers.map(() => status).join(' ')
