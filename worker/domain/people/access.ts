export type Actor = {
  user_id: number
  org_id: number
  /** Null when an API token acts. */
  session_id: number | null
  /** The API token that acts, if one does. */
  token_id: number | null
  /** Sees and administers this organization alone: by an API token made for it, or by a session of the organization's provider. */
  is_bound: boolean
  /** A global admin in an organization that they entered without being its member. */
  is_acting: boolean
  is_admin: boolean
  is_org_admin: boolean
  manage_organization: boolean
  manage_alert_email: boolean
  manage_metadata: boolean
  /** Why nothing may be changed: the trial is over, or the API token only reads. */
  read_only: 'trial' | 'token' | null
  /** That of the organization's reports: its due days end by it. */
  time_zone: string
}

/** Reach of an API token: in the organization that it was made for, or in all of its user's. */
export const tokenReaches = ['organization', 'all'] as const

/** Every endpoint names one of these; the web asks the same question to hide a button. */
export const policies = {
  public: () => true,
  member: (actor?: Actor) => actor !== undefined,
  manageAlerts: (actor?: Actor) => !!actor && (actor.is_admin || actor.manage_alert_email),
  manageMetadata: (actor?: Actor) => !!actor && (actor.is_admin || actor.manage_metadata),
  manageOrg: (actor?: Actor) => !!actor && (actor.is_admin || actor.manage_organization),
  orgAdmin: (actor?: Actor) => !!actor && (actor.is_admin || actor.is_org_admin),
  admin: (actor?: Actor) => !!actor && actor.is_admin,
} satisfies Record<string, (actor?: Actor) => boolean>

export type Access = keyof typeof policies
