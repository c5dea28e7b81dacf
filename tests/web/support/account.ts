import type { User } from '../../../worker/auth/contract'
import type { OrgRow } from '../../../worker/orgs/contract'
import type { OrgUserRow } from '../../../worker/orgs/members/contract'
import { startSession, resetSession } from '../../../web/session/session'

const acme = { id: 1, name: 'Acme', slug: 'acme' }
export const noFlags = {
  manage_organization: false,
  manage_alert_email: false,
  manage_alert_slack: false,
  manage_metadata: false,
}

export const aSessionUser: User = {
  id: 1,
  username: 'analyst',
  first_name: 'Ada',
  last_name: 'Lovelace',
  email: 'ada@example.org',
  last_login: null,
  is_superuser: false,
  is_admin: false,
  is_staff: false,
  is_active: true,
  is_authenticated: true,
  is_org_admin: false,
  is_acting: false,
  mfa_enabled: false,
  auth_token: null,
  orgs: [acme],
  current_org: { org_id: 1, org_name: 'Acme' },
  profile: noFlags,
}

/** Signs in as a user without special rights, unless `given` says otherwise. */
export function signInAs(given: Partial<User> = {}) {
  resetSession()
  startSession({ ...aSessionUser, ...given }, acme)
}

export const orgAdmin: Partial<User> = { is_org_admin: true, profile: { ...noFlags, manage_organization: true } }
export const globalAdmin: Partial<User> = { is_admin: true, is_superuser: true }
export const alertManager: Partial<User> = { profile: { ...noFlags, manage_alert_email: true } }
export const decider: Partial<User> = { profile: { ...noFlags, manage_metadata: true } }
export const inviter: Partial<User> = { profile: { ...noFlags, manage_organization: true } }

export const aProfile = (given: object = {}) => ({
  id: 1,
  username: 'analyst',
  email: 'ada@example.org',
  first_name: 'Ada',
  last_name: 'Lovelace',
  last_login: null,
  auth_token: 'esh_Ab12',
  has_password: true,
  mfa_enabled: false,
  recovery_codes_left: 0,
  profile: noFlags,
  ...given,
})

export const anOrgRow = (given: Partial<OrgRow> = {}): OrgRow => ({
  ...acme,
  owner: 'analyst',
  nb_users: 2,
  is_active: true,
  trial_ends_at: null,
  ...given,
})

export const aMemberRow = (given: Partial<OrgUserRow> = {}): OrgUserRow => ({
  org_id: 1,
  org_name: 'Acme',
  user: 2,
  username: 'grace',
  email: 'grace@example.org',
  is_admin: false,
  is_active: true,
  ...given,
})

/** A member as her dialog shows her. */
export const grace = {
  id: 2,
  username: 'grace',
  email: 'grace@example.org',
  first_name: 'Grace',
  last_name: 'Hopper',
  last_login: null,
  is_active: true,
  is_admin: false,
  is_org_admin: false,
  mfa_enabled: false,
  profile: { manage_organization: false, manage_alert_email: false, manage_metadata: false },
}
