import * as z from 'zod'
import { assumablePoints, duePolicies, maxDueDays } from '../domain/decisions/due'
import { endpoint } from '../http/endpoint'

const Days = z
  .int(`Must be whole days from 1 to ${maxDueDays}`)
  .min(1, `Must be whole days from 1 to ${maxDueDays}`)
  .max(maxDueDays, `Must be whole days from 1 to ${maxDueDays}`)
  .nullable()
const Sides = z.object({ exposed: Days, not_exposed: Days })
/** Days by severity, where it is publicly exposed and where it is not; null is no deadline. */
const Table = z.object({ critical: Sides, high: Sides, medium: Sides, low: Sides, unscored: Sides })

const DueSettings = z.object({
  /** cisa_kev: the day in KEV alone. bod_26_04: CISA's table of 2026. own: the organization's table. none: nothing is due. */
  due_policy: z.enum(duePolicies),
  /** The organization's own table, which counts with the policy `own` alone. */
  table: Table,
  /** How many of the watched vulnerabilities have their new days, while they are made; null once all have. */
  remaking: z.object({ done: z.int(), total: z.int() }).nullable(),
})
export type DueSettings = z.output<typeof DueSettings>

export const getDuePolicy = endpoint({
  path: '/api/decisions/due-policy',
  access: 'member',
  summary: 'By what the due dates of the organization are made',
  reply: DueSettings,
})

export const DuePolicyForm = z.object({ due_policy: z.enum(duePolicies), table: Table.optional() })

export const editDuePolicy = endpoint({
  method: 'PUT',
  path: '/api/decisions/due-policy',
  cost: 20,
  access: 'manageOrg',
  summary:
    'Choose by what due dates are made; they follow at once, or within minutes where very much is watched. A table that is left out stays',
  body: DuePolicyForm,
  reply: DueSettings,
})

/** Why a vulnerability is due on its day. */
export const DueReason = z.object({
  due_policy: z.enum(duePolicies),
  /** In words: "KEV, publicly exposed, automatable, total: 3 days with forensic triage". */
  text: z.string(),
  /** Null for the next upgrade, or no deadline. */
  days: z.int().nullable(),
  forensic_triage: z.boolean(),
  /** From when the days count: when it was found, or the day in KEV if that was before and CISA's table counts; null where nothing counts. */
  since: z.string().nullable(),
  publicly_exposed: z.boolean().nullable(),
  /** The points that were taken at their worse value, as nobody knows them; the answer is sure without one. */
  assumed: z.array(z.enum(assumablePoints)),
})
export type DueReason = z.output<typeof DueReason>
