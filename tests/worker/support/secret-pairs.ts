import { createToken, removeToken } from '../../../worker/account/access-contract'
import {
  askEmailChange,
  changePassword,
  deleteAccount,
  renewRecoveryCodes,
  updateProfile,
} from '../../../worker/account/contract'
import { createAlertFeed, removeAlertFeed } from '../../../worker/atom/contract'
import { updateOrgSettings } from '../../../worker/alerts/settings/contract'
import { currentUser, logout } from '../../../worker/auth/contract'
import { withdrawOrgInvitation } from '../../../worker/orgs/joining/invitations-contract'
import * as members from '../../../worker/orgs/members/contract'
import { disableOrg, removeOrg } from '../../../worker/orgs/contract'
import { createView, removeView, updateView } from '../../../worker/views/contract'
import { password } from '../../support/credentials'
import { aMember } from './member'
import { anOrg, postJson } from './org'
import { obtain, withTotp } from './sign-in'
import { aWorld } from './world'

const newPassword = 'Brand-New-Horse-7!'

/** An organization with its admin and a member, and who runs Earshot. */
export async function aSecretScene() {
  const world = aWorld()
  const root = await anOrg({ world, is_admin: true })
  const admin = await anOrg({ world, is_org_admin: true })
  const member = await aMember(world, admin.org_id)
  await world.sql`UPDATE members SET manage_alert_email = 1 WHERE user_id = ${member.user_id}`
  /** Text of the newest mail to an address in place of the mark. */
  async function mailed(email: string, mark: RegExp) {
    await world.drain()
    const found = mark.exec(world.mails.findLast(({ to, text }) => to === email && mark.test(text))?.text ?? '')?.[1]
    if (!found) throw new Error(`No mail to ${email} with ${mark}`)
    return found
  }
  return { world, root, admin, member, org_id: admin.org_id, mailed, id: 0 }
}
export type SecretScene = Awaited<ReturnType<typeof aSecretScene>>
type Way = (scene: SecretScene) => Promise<unknown>

/** A secret by which somebody may come in, how they come in, and each way in which that ends. */
type Pair = {
  make: (scene: SecretScene) => Promise<string>
  open: (scene: SecretScene, secret: string) => Promise<Response>
  ways: Record<string, Way>
}

const member = ({ org_id, member: { user_id } }: SecretScene) => ({ params: { org_id, user_id } })
const user = ({ member: { user_id } }: SecretScene) => ({ params: { id: user_id }, body: {} })
const org = ({ org_id }: SecretScene) => ({ params: { id: org_id } })

const endings = {
  'the member is removed': (scene) => scene.admin.call(members.removeMember, member(scene)),
  'the member is kept out': (scene) => scene.admin.call(members.disableMember, member(scene)),
  'the account is kept out': (scene) => scene.root.call(members.disableUser, user(scene)),
  'the account is deleted': (scene) => scene.root.call(members.deleteUser, user(scene)),
  'its owner leaves': (scene) => scene.member.call(deleteAccount, { body: {} }),
  'the organization is disabled': (scene) => scene.root.call(disableOrg, org(scene)),
  'the organization is removed': async (scene) => {
    await scene.root.call(disableOrg, org(scene))
    await scene.root.call(removeOrg, org(scene))
  },
} satisfies Record<string, Way>
const accountEnds = {
  'the account is kept out': endings['the account is kept out'],
  'the account is deleted': endings['the account is deleted'],
  'its owner leaves': endings['its owner leaves'],
}
const orgEnds = {
  'the organization is disabled': endings['the organization is disabled'],
  'the organization is removed': endings['the organization is removed'],
}
const setsPassword: Way = ({ member: me }) =>
  me.call(changePassword, { body: { old_password: password, new_password1: newPassword, new_password2: newPassword } })
const resets: Way = async (scene) => {
  const token = await resetLink(scene)
  await postJson(scene.world, '/password_reset/confirm/', { token, password: newPassword })
}
const resetLink = async ({ world, member: { email }, mailed }: SecretScene) => {
  await world.sql`DELETE FROM mail_allowances`
  await postJson(world, '/password_reset/', { email })
  return mailed(email, /newpassword\?token=([\w-]+)/)
}
const moves = (email: string) => async (scene: SecretScene) => {
  await scene.member.call(askEmailChange, { body: { email, password } })
  return scene.mailed(email, /\/email\/([\w-]+)/)
}
const confirmEmail = ({ world }: SecretScene, token: string) => postJson(world, `/api/public/email/${token}`, {})

const feed = (url: string) => new URL(url).pathname.split('/').at(-2) ?? ''
const openFeed = ({ world }: SecretScene, token: string) => world.request(`/api/public/feeds/${token}/json`)
const as = (scheme: string) => (scene: SecretScene, token: string) =>
  scene.world.request(currentUser.path, { headers: { authorization: `${scheme} ${token}` } })
const owes = async (scene: SecretScene) => {
  const { secret, recovery_codes } = await withTotp(scene.member)
  const { body } = await obtain(scene.world, { username: scene.member.username })
  return { secret, recovery_codes, token: body.token ?? '' }
}
const listed = (scene: SecretScene, alerts_emails: string[]) =>
  scene.admin.call(updateOrgSettings, { body: { org_id: scene.org_id, alerts_emails } })
const account = (username: string) => ({ username, password: newPassword, password_confirm: newPassword })
const startsTrial = ({ world }: SecretScene) =>
  postJson(world, '/api/public/trial', { email: 'owner@example.net', org_name: 'Acme' })
const subscriberMail = /\/public\/newsletter\/(?:confirm|unsubscribe)\/([\w-]+)/
const subscribes = async (scene: SecretScene) => {
  await postJson(scene.world, '/api/alerts/newsletter', { email: 'reader@example.net' })
  return scene.mailed('reader@example.net', subscriberMail)
}
const press = (what: string) => (scene: SecretScene, token: string) =>
  scene.world.request(`/public/newsletter/${what}/${token}`, { method: 'POST' })
const forgets: Way = ({ world }) =>
  world.sql`UPDATE subscribers SET created_at = '2026-01-01T00:00:00Z'`.then(() => world.tick(new Date(), '17 3 * * *'))

export const pairs: Record<string, Pair> = {
  'a feed of a view': {
    make: async (scene) => {
      const body = { name: 'Ours', query: '', is_shared: true }
      scene.id = (await scene.admin.call(createView, { body })).id
      return feed((await scene.member.call(createAlertFeed, { body: { view_id: scene.id } })).json_url)
    },
    open: openFeed,
    ways: {
      ...endings,
      'the view is removed': ({ admin, id }) => admin.call(removeView, { params: { id } }),
      'the view is no longer shared': ({ admin, id }) =>
        admin.call(updateView, { params: { id }, body: { is_shared: false } }),
      'the owner of the view is deleted': ({ world, admin }) =>
        world.sql`DELETE FROM users WHERE id = ${admin.user_id}`,
      'the feed is removed': ({ member: me, id }) => me.call(removeAlertFeed, { params: { view_id: id } }),
      'the feed gets another address': ({ admin, id }) => admin.call(createAlertFeed, { body: { view_id: id } }),
      'the trial ends': ({ world }) => world.sql`UPDATE orgs SET trial_ends_at = '2026-01-01T00:00:00Z'`,
    },
  },
  'a feed of all': {
    make: async (scene) => feed((await scene.member.call(createAlertFeed, { body: { view_id: 0 } })).json_url),
    open: openFeed,
    ways: endings,
  },
  'an access token': {
    make: async (scene) => scene.member.access,
    open: as('JWT'),
    ways: { ...endings, 'it signs out': ({ member: me }) => me.call(logout, { body: {} }), 'a reset': resets },
  },
  'a refresh token': {
    make: async (scene) => scene.member.refresh,
    open: ({ world }, refresh) => postJson(world, '/api/public/jwt-auth/refresh-token/', { refresh }),
    ways: {
      ...accountEnds,
      'the member is removed': endings['the member is removed'],
      'it signs out': ({ member: me }) => me.call(logout, { body: {} }),
      'a reset': resets,
    },
  },
  'an API token': {
    make: async (scene) => {
      const made = await scene.member.call(createToken, { body: { name: 'CI' } })
      scene.id = made.id
      return made.token
    },
    open: as('Token'),
    ways: {
      ...endings,
      'it is removed': ({ member: me, id }) => me.call(removeToken, { params: { id } }),
      'a reset': resets,
    },
  },
  'an invitation': {
    make: async (scene) => {
      await invite(scene)
      const [link] = await scene.world.sql<{ id: number }>`SELECT id FROM links WHERE kind = 'invitation'`
      scene.id = link?.id ?? 0
      return scene.mailed('joiner@example.net', /\?token=([\w-]+)/)
    },
    open: ({ world }, token) => postJson(world, `/users/activate/${token}`, account('joiner')),
    ways: {
      ...orgEnds,
      'it is withdrawn': ({ admin, org_id, id }) => admin.call(withdrawOrgInvitation, { params: { org_id, id } }),
      'another one is sent': async (scene) => invite(scene),
      'a member who came without it was removed': async (scene) => {
        await scene.world.sql`UPDATE users SET email = 'joiner@example.net' WHERE id = ${scene.member.user_id}`
        await scene.admin.call(members.removeMember, member(scene))
        await scene.world.sql`UPDATE users SET email = 'other@example.net' WHERE id = ${scene.member.user_id}`
      },
    },
  },
  'a password reset': {
    make: resetLink,
    open: ({ world }, token) => postJson(world, '/password_reset/confirm/', { token, password: newPassword }),
    ways: {
      ...accountEnds,
      'a new password': setsPassword,
      'another reset': async (scene) => resets(scene),
      'another mailbox': async (scene) => confirmEmail(scene, await moves('moved@example.net')(scene)),
    },
  },
  'a change of the address': {
    make: moves('moved@example.net'),
    open: confirmEmail,
    ways: {
      ...accountEnds,
      'a new password': setsPassword,
      'a reset': resets,
      'another address is wanted': moves('right@example.net'),
      'another address is confirmed': async (scene) => confirmEmail(scene, await moves('right@example.net')(scene)),
    },
  },
  'the beginning of a trial': {
    make: async (scene) => {
      await startsTrial(scene)
      return scene.mailed('owner@example.net', /\/trial\/([\w-]+)/)
    },
    open: ({ world }, token) => postJson(world, `/api/public/trial/${token}`, account('starter')),
    ways: {
      'it was used': async (scene) => {
        const token = await scene.mailed('owner@example.net', /\/trial\/([\w-]+)/)
        await postJson(scene.world, `/api/public/trial/${token}`, account('starter2'))
      },
      'another one was used': async (scene) => {
        await scene.world.sql`DELETE FROM mail_allowances`
        await startsTrial(scene)
        const token = await scene.mailed('owner@example.net', /\/trial\/([\w-]+)/)
        await postJson(scene.world, `/api/public/trial/${token}`, account('starter2'))
      },
    },
  },
  'the confirmation of an alert address': {
    make: async (scene) => {
      await listed(scene, ['soc@example.net'])
      return scene.mailed('soc@example.net', /\/email\/([\w-]+)/)
    },
    open: confirmEmail,
    ways: { ...orgEnds, 'the address is taken back': (scene) => listed(scene, []) },
  },
  'the confirmation of a newsletter': {
    make: subscribes,
    open: press('confirm'),
    ways: {
      'it was not wanted': async (scene) =>
        press('unsubscribe')(scene, await scene.mailed('reader@example.net', subscriberMail)),
      'nobody confirmed it': forgets,
    },
  },
  'the end of a newsletter': { make: subscribes, open: press('unsubscribe'), ways: { 'it was forgotten': forgets } },
  'a sign-in that owes a factor': {
    make: async (scene) => {
      const owed = await owes(scene)
      codes.set(owed.token, owed.recovery_codes[0] ?? '')
      return owed.token
    },
    open: ({ world }, eph_token) =>
      postJson(world, '/api/public/mfa/recovery', { eph_token, code: codes.get(eph_token) ?? 'AAAA-AAAA-AAAA-AAAA' }),
    ways: {
      'a new password': setsPassword,
      'a reset': resets,
      'the account is deleted': endings['the account is deleted'],
      'the factor is switched off': ({ member: me }) => me.call(updateProfile, { body: { mfa_enabled: false } }),
    },
  },
  'a recovery code': {
    make: async (scene) => (await owes(scene)).recovery_codes[0] ?? '',
    open: async ({ world, member: { username } }, code) => {
      const { body } = await obtain(world, { username })
      return postJson(world, '/api/public/mfa/recovery', { eph_token: body.token, code })
    },
    ways: {
      'it was used': async (scene) => {
        const [one] = await scene.world.sql<{ code_hash: string }>`SELECT code_hash FROM recovery_codes`
        await scene.world.sql`UPDATE recovery_codes SET used_at = '2026-01-01T00:00:00Z'`
        return one
      },
      'there are new ones': ({ member: me }) => me.call(renewRecoveryCodes, { body: { password } }),
    },
  },
}
const codes = new Map<string, string>()

const invite = ({ admin, org_id }: SecretScene) =>
  admin.call(members.inviteUsers, { params: { org_id }, body: { emails: ['joiner@example.net'] } })
