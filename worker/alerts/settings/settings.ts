import { eq } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { writeAndRead } from '../../db/statement'
import { policies, type Actor } from '../../domain/people/access'
import { forbidden, invalid } from '../../http/errors'
import { spellAddresses } from '../../orgs/addresses'
import { findUnconfirmed } from '../../orgs/alert-addresses'
import type { By } from '../../orgs/managed-orgs'
import { alertSettings } from '../../schema/alerts'
import { users } from '../../schema/auth'
import { planSecrets } from '../channels/change-secrets'
import { passBacklog } from '../channels/health'
import { findChannels, readHints, readySave, writeChannel, writeSettings } from '../channels/store'
import type { ChannelColumns, SettingsColumns, StoredChannel } from '../channels/store'
import { findDues, movesReports, scheduleStatements } from '../reports/schedule'
import { maxAlertEmails, oldRuleNames, shownChannels, type OrgSettings, type OrgSettingsChange } from './contract'

/** The fields of e-mail, and where each is stored. */
const emailColumns = {
  ...oldRuleNames,
  enable_daily_email_report: 'daily_report',
  enable_weekly_email_report: 'weekly_report',
  enable_monthly_email_report: 'monthly_report',
  enable_quiet_email_report: 'quiet_report',
  reports_hour: 'report_hour',
} as const
type EmailField = keyof typeof emailColumns
const emailFields = Object.keys(emailColumns) as EmailField[]

type Shown = (typeof shownChannels)[number]

export async function getSettings(db: Db, org_id: number, isManager = true): Promise<OrgSettings> {
  const [stored, channels, alerts_emails_unconfirmed] = await Promise.all([
    getStored(db, org_id),
    findChannels(db, org_id),
    findUnconfirmed(db, org_id),
  ])
  const email = Object.fromEntries(emailFields.map((field) => [field, stored[emailColumns[field]]]))
  const shown = shownChannels.map((name) => describeShown(name, channels.get(name), stored[`show_${name}`], isManager))
  return {
    org_id,
    alerts_emails: JSON.parse(stored.alerts_emails) as string[],
    alerts_emails_unconfirmed,
    alerts_emails_max: maxAlertEmails,
    reports_time_zone: stored.time_zone,
    ...(Object.assign(email, ...shown) as Omit<OrgSettings, 'org_id' | `alerts_emails${string}` | 'reports_time_zone'>),
  }
}

/** A channel under all of its names. */
function describeShown(name: Shown, row: StoredChannel | undefined, isShown: boolean, isManager: boolean) {
  const { url = '', apikey = '' } = isManager ? readHints(row) : {}
  const { on_new = true, on_update = true } = row ?? {}
  return {
    [`show_${name}_settings`]: isShown,
    [`alerts_${name}_enabled`]: isShown,
    [`alerts_${name}`]: { url, apikey, new_vuln: on_new, update_vuln: on_update },
    [`alerts_${name}_url`]: url,
    [`alerts_${name}_apikey`]: apikey,
    [`enable_${name}_new_vuln`]: on_new,
    [`enable_${name}_update_vuln`]: on_update,
  }
}

/** Addresses are for those who may change them; others see what is told, and whether they are told. */
export async function getSettingsFor(db: Db, actor: Actor): Promise<OrgSettings> {
  const isManager = policies.manageAlerts(actor)
  const [settings, member] = await Promise.all([
    getSettings(db, actor.org_id, isManager),
    isManager ? undefined : db.select({ email: users.email }).from(users).where(eq(users.id, actor.user_id)).get(),
  ])
  if (isManager) return settings
  const isTheirs = (email: string) => email.toLowerCase() === member?.email.toLowerCase()
  const { alerts_emails, alerts_emails_unconfirmed } = settings
  return {
    ...settings,
    alerts_emails: alerts_emails.filter(isTheirs),
    alerts_emails_unconfirmed: alerts_emails_unconfirmed.filter(isTheirs),
  }
}

/** The row of every organization is made with it; one that lost it gets what is usual. */
async function getStored(db: Db, org_id: number) {
  const find = () => db.select().from(alertSettings).where(eq(alertSettings.org_id, org_id))
  const [found] = await find()
  if (found) return found
  await db.insert(alertSettings).values({ org_id }).onConflictDoNothing()
  const [made] = await find()
  if (!made) throw new Error(`The organization ${org_id} has no settings`)
  return made
}

/** To read and save changes nothing, because only what differs is stored. */
export async function updateSettings(db: Db, change: Omit<OrgSettingsChange, 'org_id'>, by: By) {
  const { org_id } = by.actor
  const typed = await spellAddresses(db, org_id, change.alerts_emails ?? [])
  const [current, dues, { channels: stored, confirm, write }] = await Promise.all([
    getSettings(db, org_id),
    findDues(db, org_id),
    readySave(db, typed.valid, by),
  ])
  if (change.alerts_emails_max !== undefined && change.alerts_emails_max !== maxAlertEmails)
    throw invalid([{ path: ['alerts_emails_max'], message: `It is ${maxAlertEmails} and cannot be changed` }])

  const emails = change.alerts_emails === undefined ? undefined : readAlertEmails(typed, current)
  const added = emails?.filter((email) => !current.alerts_emails.includes(email)) ?? []
  const settings = {
    ...(emails &&
      JSON.stringify(emails) !== JSON.stringify(current.alerts_emails) && { alerts_emails: JSON.stringify(emails) }),
    ...changedFields(change, current),
    ...changedTimeZone(change, current),
    ...changedVisibility(change, current, by.actor.is_admin),
  }
  const channels = await Promise.all(
    shownChannels.map(async (name) => ({ name, columns: await changedChannel(name, { change, current, stored, by }) })),
  )
  const changed = channels.filter(({ columns }) => Object.keys(columns).length)
  if (!Object.keys(settings).length && !changed.length) return current

  const confirmations = await confirm(added)
  const statements = [
    ...(Object.keys(settings).length ? [writeSettings(db, org_id, settings)] : []),
    ...changed.flatMap(({ name: channel, columns }) => [
      ...passBacklog(db, { org_id, channel }, columns.secrets, by.now),
      writeChannel(db, { org_id, channel }, columns),
    ]),
    ...(movesReports(settings) ? scheduleStatements(db, { org_id, dues }, { ...current, ...change }, by.now) : []),
    ...confirmations,
  ]
  const detail = {
    ...settings,
    ...Object.fromEntries(changed.map(({ name: channel, columns: { secrets: _, ...open } }) => [channel, open])),
  }
  const saved = await writeAndRead(
    db,
    (reads) => write([...statements, ...reads], { action: 'settings.update', target: 'alerts', detail }),
    (after) => getSettings(after, org_id),
  )
  if (confirmations.length || changed.some(({ columns }) => columns.secrets))
    await by.env.DELIVERIES.send({ reason: 'due' })
  return saved
}

type Change = Omit<OrgSettingsChange, 'org_id'>

const changedFields = (change: Change, current: OrgSettings): SettingsColumns =>
  Object.fromEntries(
    emailFields.flatMap((field) => {
      const value = change[field]
      return value === undefined || value === current[field] ? [] : [[emailColumns[field], value]]
    }),
  )

const changedTimeZone = ({ reports_time_zone: name }: Change, current: OrgSettings): SettingsColumns =>
  name === undefined || name === current.reports_time_zone ? {} : { time_zone: name }

/** Global admins decide which channels an organization sees. */
function changedVisibility(change: Change, current: OrgSettings, is_admin: boolean): SettingsColumns {
  const changed = shownChannels.filter(
    (name) =>
      pickChanged(
        current[`show_${name}_settings`],
        change[`show_${name}_settings`],
        change[`alerts_${name}_enabled`],
      ) !== undefined,
  )
  if (changed.length && !is_admin) throw forbidden(`Only a global admin changes show_${changed[0]}_settings`)
  return Object.fromEntries(changed.map((name) => [`show_${name}`, !current[`show_${name}_settings`]]))
}

type Scene = { change: Change; current: OrgSettings; stored: Map<string, StoredChannel>; by: By }

async function changedChannel(name: Shown, { change, current, stored, by }: Scene): Promise<ChannelColumns> {
  const [whole, before] = [change[`alerts_${name}`], current[`alerts_${name}`]]
  const on_new = pickChanged(before.new_vuln, change[`enable_${name}_new_vuln`], whole?.new_vuln)
  const on_update = pickChanged(before.update_vuln, change[`enable_${name}_update_vuln`], whole?.update_vuln)
  const url = pickChanged(before.url, change[`alerts_${name}_url`], whole?.url)
  const apikey =
    name === 'slack'
      ? undefined
      : pickChanged(current[`alerts_${name}`].apikey, change[`alerts_${name}_apikey`], change[`alerts_${name}`]?.apikey)
  const secrets = await planSecrets(by.env, stored.get(name), { url, apikey }, (field) => `alerts_${name}_${field}`)
  return {
    ...(on_new !== undefined && { on_new }),
    ...(on_update !== undefined && { on_update }),
    ...secrets,
  }
}

/** A setting goes by two names: a client that changes one sends the other as it was. */
const pickChanged = <Value>(current: Value, ...candidates: (Value | undefined)[]) =>
  candidates.find((value) => value !== undefined && value !== current)

type Typed = Awaited<ReturnType<typeof spellAddresses>>

function readAlertEmails({ addresses, valid, wrong }: Typed, { alerts_emails }: OrgSettings) {
  // An address of this machine, as the first admin has, may stay: it is only not taken anew.
  if (addresses.join() === alerts_emails.join()) return addresses
  const refuse = (message: string) => invalid([{ path: ['alerts_emails'], message }])
  if (wrong.length) throw refuse(`E-mail must be valid: ${wrong.join(', ')}`)
  if (valid.length > maxAlertEmails) throw refuse(`At most ${maxAlertEmails} addresses`)
  return valid
}
