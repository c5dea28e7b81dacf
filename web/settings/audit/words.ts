import { auditActions } from '../../../worker/domain/audit-actions'
import type { AuditAction } from '../../../worker/domain/audit-actions'

const actionWords: Record<AuditAction, string> = {
  'alert_address.leave': 'Unsubscribed an alert address',
  'channel.key': 'Made a new signing key',
  'channel.remove': 'Removed an alert channel',
  'channel.update': 'Changed an alert channel',
  'feed.create': 'Made a feed address',
  'feed.remove': 'Revoked a feed address',
  'member.decline': 'Declined an invitation',
  'member.demote': 'Removed the admin role',
  'member.disable': 'Disabled a member',
  'member.enable': 'Enabled a member',
  'member.invite': 'Sent an invitation',
  'member.join': 'Joined the organization',
  'member.promote': 'Gave the admin role',
  'member.remove': 'Removed a member',
  'member.uninvite': 'Withdrew an invitation',
  'org.act': 'Started acting in the organization',
  'org.act_end': 'Stopped acting in the organization',
  'org.create': 'Created the organization',
  'org.disable': 'Disabled the organization',
  'org.enable': 'Enabled the organization',
  'org.remove': 'Removed an organization',
  'passkey.add': 'Added a passkey',
  'passkey.remove': 'Removed a passkey',
  'settings.update': 'Changed the alert settings',
  'sso.prove_domain': 'Verified a mail domain',
  'sso.remove': 'Removed single sign-on',
  'sso.set': 'Set up single sign-on',
  'token.create': 'Made an API token',
  'token.remove': 'Removed an API token',
  'token.use': 'Used an API token from a new network',
  'trial.convert': 'Converted the trial',
  'trial.extend': 'Extended the trial',
  'trial.start': 'Started the trial',
  'user.change_password': 'Changed the password',
  'user.delete': 'Deleted an account',
  'user.disable': 'Disabled an account',
  'user.enable': 'Enabled an account',
  'user.mfa_off': 'Switched the second factor off',
  'user.mfa_on': 'Switched the second factor on',
  'user.reset': 'Set a new password through a link',
  'user.reset_password': 'Sent a link for a new password',
  'user.sign_in': 'Signed in',
  'user.sso': 'Signed in with the company account',
  'user.update': 'Changed a user',
  'vuln.accepted': 'Accepted the risk of a vulnerability',
  'vuln.snoozed': 'Snoozed a vulnerability',
  'vuln.woken': 'Ended the snooze of a vulnerability',
}

const words = new Map<string, string>(Object.entries(actionWords))

/** An entry of a later version is shown by its code. */
export const describeAuditAction = (action: string) => words.get(action) ?? action

export const actionChoices = auditActions
  .map((value) => ({ value, label: actionWords[value] }))
  .toSorted((one, other) => one.label.localeCompare(other.label))
