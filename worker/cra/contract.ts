import * as z from 'zod'
import { craMarks, craStages } from '../domain/decisions/cra'
import { runVerdicts } from '../domain/versions/verdict'
import { affectedStatuses, confidences } from '../domain/versions/affected-status'
import { endpoint } from '../http/endpoint'
import { IdParams, Success, When } from '../http/fields'
import { pageQuery, pageSchema } from '../http/page'
import { AffectedItem } from '../vulns/detail/contract'

const maxNote = 2_000

const CraReport = z.object({
  /** When it was reported, and when that was noted. */
  done_at: z.string(),
  noted_at: z.string(),
  /** Null for somebody who is gone. */
  by: z.string().nullable(),
  note: z.string(),
})
export type CraReport = z.output<typeof CraReport>

export const CraClock = z.object({
  vuln_id: z.int(),
  cveid: z.string().nullable(),
  summary: z.string(),
  /** When Earshot noticed it. */
  started_at: z.string(),
  /** From when the organization knew: the early warning and the notification count from it. */
  aware_at: z.string(),
  /** Since when a fix is available: the final report counts from it. */
  fix_at: z.string().nullable(),
  /** A person said so; else a source names a version that fixes it. */
  is_fix_stated: z.boolean(),
  is_done: z.boolean(),
  /** The report that is due next; null where none is left, or the last one waits for a fix. */
  next: z.object({ stage: z.enum(craStages), due: z.string() }).nullable(),
  stages: z.array(
    z.object({
      stage: z.enum(craStages),
      /** Null as long as it waits for a fix. */
      due: z.string().nullable(),
      report: CraReport.nullable(),
    }),
  ),
  /** Why no report is needed, where somebody said so. */
  not_needed: CraReport.nullable(),
  /** The inventories of what the organization makes that have it now. */
  inventories: z.array(z.string()),
  /** The worst of them; null where none has it any more, or all of it is decided. */
  verdict: z.enum(runVerdicts).nullable(),
})
export type CraClock = z.output<typeof CraClock>

export const CraClockQuery = pageQuery(['due', 'aware_at'], 'due').extend({
  state: z.enum(['open', 'done']).default('open'),
})
export type CraClockQuery = z.output<typeof CraClockQuery>
export type CraClockQueryInput = z.input<typeof CraClockQuery>

export const listCraClocks = endpoint({
  path: '/api/cra/clocks/',
  access: 'member',
  summary:
    'Exploited vulnerabilities of what the organization makes, and when their reports are due by the Cyber Resilience Act. No legal advice',
  query: CraClockQuery,
  reply: pageSchema(CraClock),
})

const KnownBy = z.object({ name: z.string(), added: z.string(), notes: z.string(), link: z.string() })

/** All that a report may ask for, as it is known now. */
export const CraEvidence = z.object({
  made_at: z.string(),
  organization: z.string(),
  /** Disclaimer. */
  notice: z.string(),
  clock: CraClock,
  vulnerability: z.object({
    id: z.int(),
    cveid: z.string().nullable(),
    summary: z.string(),
    published: z.string().nullable(),
    cvss3: z.number().nullable(),
    cvss3_vector: z.string().nullable(),
    cvss4: z.number().nullable(),
    cvss4_vector: z.string().nullable(),
    cwe_ids: z.array(z.string()),
    references: z.array(z.object({ url: z.string(), tags: z.array(z.string()) })),
  }),
  /** Catalogues that call it exploited, and since when. */
  exploited_by: z.array(KnownBy),
  /** Statements of sources on affected and fixed versions. */
  affected_versions: z.array(
    AffectedItem.pick({ via: true, vendor: true, name: true, versions: true, fixed: true, first_unlisted: true }),
  ),
  /** Components of the organization's own products that have it. */
  components_count: z.int(),
  components: z.array(
    z.object({
      inventory: z.string(),
      component: z.string(),
      version: z.string().nullable(),
      purl: z.string().nullable(),
      status: z.enum(affectedStatuses),
      confidence: z.enum(confidences),
      source: z.string().nullable(),
      range: z.string().nullable(),
      fixed_in: z.string().nullable(),
      found_at: z.string(),
    }),
  ),
  /** Inventories of own products that may have it, as something there is not compared, in words. */
  uncompared: z.array(z.string()),
  /** Decisions on it, the newest first. */
  measures: z.array(
    z.object({
      at: z.string(),
      by: z.string().nullable(),
      about: z.string(),
      decision: z.string(),
      reason: z.string().nullable(),
    }),
  ),
  /** Oldest first: the history of the vulnerability, decisions, alerts, and reports. */
  timeline: z.array(
    z.object({
      at: z.string(),
      kind: z.enum(['history', 'exploited', 'found', 'decision', 'alert', 'report']),
      text: z.string(),
    }),
  ),
})
export type CraEvidence = z.output<typeof CraEvidence>

export const getCraEvidence = endpoint({
  path: '/api/cra/clocks/:id',
  cost: 10,
  access: 'member',
  summary:
    'The evidence of one clock, by its vulnerability: known facts and their times, affected versions, measures, timeline. No legal advice',
  params: IdParams,
  reply: CraEvidence,
})

export const editCraClock = endpoint({
  method: 'PUT',
  path: '/api/cra/clocks/:id',
  access: 'member',
  summary: 'Say when the organization became aware, or since when a fix is available; null for none yet',
  params: IdParams,
  body: z.object({ aware_at: When.optional(), fix_at: When.nullable().optional() }),
  reply: CraClock,
})

const MarkParams = IdParams.extend({ mark: z.enum(craMarks) })

export const noteCraReport = endpoint({
  method: 'PUT',
  path: '/api/cra/clocks/:id/reports/:mark',
  access: 'member',
  summary: 'Note that a report was made, when and to whom; or that none is needed, and why',
  params: MarkParams,
  body: z.object({
    /** Now where it is left out. */
    done_at: When.optional(),
    note: z
      .string()
      .trim()
      .max(maxNote, `At most ${maxNote.toLocaleString('en-US')} characters`)
      .default(''),
  }),
  reply: CraClock,
})

export const removeCraReport = endpoint({
  method: 'DELETE',
  path: '/api/cra/clocks/:id/reports/:mark',
  access: 'member',
  summary: 'Take the note of a report back',
  params: MarkParams,
  reply: Success,
})
