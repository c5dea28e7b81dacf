import * as z from 'zod'
import { ChannelChange, maxChannelInventories, maxChannelViews } from '../alerts/channels/contract'
import { OrgSettingsChange } from '../alerts/settings/contract'
import { NewDecision, StatusChange, SnoozeChange } from '../decisions/decide-contract'
import { DuePolicyForm } from '../decisions/due-contract'
import { settingsChannels } from '../domain/alerts/alert-rules'
import { GroupLabel, GroupLabels, RunVersions, watchedKinds } from '../domain/names/watch-item'
import { VulnForm } from '../editing/contract'
import { ExploitForm, ThreatForm } from '../exploits/contract'
import { When } from '../http/fields'
import { InventoryName } from '../inventories/contract'
import { CommentText } from '../triage/contract'
import { ViewForm } from '../views/contract'
import type { RecordKind } from './contract'

/** The first line of a file. A reader refuses a version that it does not know. */
export const Header = z.object({ format: z.literal('earshot-organization'), version: z.int().min(1) })
export const formatVersion = 1

const Text = z.string().max(500)
/** The public id of a vulnerability, or `own:` and the key of a record `own_vulnerability`: never a number of a database. */
const isNumber = /^(?:(?:PH|ORG)-)?\d/i
const noNumber = 'Must not be a number of an installation'
const vulnerability = z
  .string()
  .min(3)
  .max(200)
  .refine((text) => !isNumber.test(text.trim()), noNumber)
const Email = z.string().max(320)

const Component = z.object({
  key: z.string().max(2_000),
  name: Text,
  version: Text.nullable(),
  purl: Text.nullable(),
  cpe: Text.nullable(),
  scope: z.enum(['required', 'optional', 'excluded']),
  licence: Text.nullable(),
  path: z.array(Text).max(20),
})

export type InputComponent = z.input<typeof Component>

const decided = { vulnerability, decided_at: When }
/** `owner` answers for an accepted risk. */
const quieted = { ...decided, decision: SnoozeChange, owner: Email.nullish() }
const Decision = z.discriminatedUnion('scope', [
  z.object({ ...decided, scope: z.literal('vulnerability'), decision: StatusChange }),
  z.object({ ...decided, scope: z.literal('assignee'), owner: Email }),
  z.object({ ...quieted, scope: z.literal('alerts') }),
  z.object({ ...quieted, scope: z.literal('request') }),
  /** `component` is the key of a component of the inventory. */
  z.object({
    ...decided,
    scope: z.literal('component'),
    inventory: InventoryName,
    component: z.string().max(2_000),
    decision: NewDecision,
  }),
])

const { url: _url, apikey: _key, addresses: _to, name: _name, template: _json, ...rules } = ChannelChange.shape
const { escalate_to: _next, escalate_minutes: _minutes, inventories: _ids, views: _views, ...plainRules } = rules

export const reportFields = {
  enable_daily_email_report: true,
  enable_weekly_email_report: true,
  enable_monthly_email_report: true,
  enable_quiet_email_report: true,
  reports_time_zone: true,
  reports_hour: true,
} as const

export const records = {
  /** Its CVSS and marks are its rating. */
  own_vulnerability: VulnForm.omit({ products: true, monitored: true }).extend({ key: z.uuid() }),
  inventory: z.object({
    name: InventoryName,
    format: z.string().max(100),
    subject: Text.nullable(),
    publicly_exposed: z.boolean().nullable(),
    is_own_product: z.boolean(),
    components: z.array(Component).max(20_000),
  }),
  watch: z
    .object({
      type: z.enum(watchedKinds),
      value: Text.min(1),
      groups: GroupLabels,
      versions: RunVersions,
      monitored: z.boolean(),
      publicly_exposed: z.boolean().nullable(),
    })
    .refine(({ type, value }) => type !== 'vuln' || !isNumber.test(value.trim()), { path: ['value'], error: noNumber }),
  group: z.object({ label: GroupLabel, publicly_exposed: z.boolean() }),
  decision: Decision,
  comment: z.object({
    vulnerability,
    author: z.string().max(200).nullable(),
    body: CommentText.min(1),
    created_at: When,
  }),
  exploit: ExploitForm.omit({ scope: true }).extend({ vulnerability }),
  threat: ThreatForm.omit({ scope: true }).extend({ vulnerability }),
  view: ViewForm,
  rules: z.object({
    ...plainRules,
    channel: z.enum(settingsChannels),
    inventories: z.array(InventoryName).max(maxChannelInventories),
    views: z.array(z.string().max(100)).max(maxChannelViews),
  }),
  settings: z.object({
    reports: OrgSettingsChange.pick(reportFields),
    due: DuePolicyForm,
    needs_approver: z.boolean(),
  }),
} satisfies Record<RecordKind, z.ZodType>

export type TransferRecord<Kind extends RecordKind> = z.output<(typeof records)[Kind]>
/** As it stands in a file. */
export type WrittenRecord = { [Kind in RecordKind]: { kind: Kind } & z.input<(typeof records)[Kind]> }[RecordKind]
