/** The reports of an actively exploited vulnerability that Article 14 (2) of Regulation (EU) 2024/2847 asks of a manufacturer, in their order. */
export const craStages = ['early_warning', 'notification', 'final_report'] as const
export type CraStage = (typeof craStages)[number]
/** Notes of a person on a clock: a report, or that none is needed. */
export const craMarks = [...craStages, 'not_needed'] as const
export type CraMark = (typeof craMarks)[number]

export const craStageNames: Record<CraStage, string> = {
  early_warning: 'Early warning',
  notification: 'Notification',
  final_report: 'Final report',
}

const hour_ms = 3_600_000
/** The first two count from when the manufacturer became aware, the last from when a fix is available. */
export const craHours: Record<CraStage, number> = { early_warning: 24, notification: 72, final_report: 14 * 24 }
/** So long before it is due a report is told again. */
export const craLeadHours: Record<CraStage, number> = { early_warning: 6, notification: 24, final_report: 72 }

export const notLegalAdvice =
  'Earshot counts from what it was told and noticed. It is not legal advice: whether and when you have to report is for you and your lawyers to judge.'

/** Times as 2026-11-26T08:00:00Z. */
type CraTimes = { aware_at: string; fix_at: string | null }

const plusHours = (at: string, hours: number) =>
  new Date(Date.parse(at) + hours * hour_ms).toISOString().replace('.000Z', 'Z')

/** When a report is due (2026-11-26T08:00:00Z); null as long as nothing says so, as a final report waits for a fix. A fix from before counts from when the organization knew. */
export function findStageDue(stage: CraStage, { aware_at, fix_at }: CraTimes): string | null {
  if (stage !== 'final_report') return plusHours(aware_at, craHours[stage])
  if (fix_at === null) return null
  return plusHours(fix_at > aware_at ? fix_at : aware_at, craHours[stage])
}

/** All reports were made, or none is needed. */
const isCraDone = (marks: readonly CraMark[]) =>
  marks.includes('not_needed') || craStages.every((stage) => marks.includes(stage))

/** The report that is due next; null where none is left, or nothing says when. */
export function findNextStage(times: CraTimes, marks: readonly CraMark[]): { stage: CraStage; due: string } | null {
  if (isCraDone(marks)) return null
  const left = craStages.flatMap((stage) => {
    const due = marks.includes(stage) ? null : findStageDue(stage, times)
    return due === null ? [] : [{ stage, due }]
  })
  return left.toSorted((a, b) => Date.parse(a.due) - Date.parse(b.due))[0] ?? null
}

/** News of a clock: that it runs, that a report is due soon, and that it is overdue. */
export type CraEvent = { event: 'started'; at: string } | { event: 'soon' | 'missed'; stage: CraStage; at: string }

/** All that there is to tell of a clock, each with its time; a reported one is told no more. */
export function listCraEvents(times: CraTimes & { started_at: string }, marks: readonly CraMark[]): CraEvent[] {
  if (isCraDone(marks)) return []
  const ofStages = craStages.flatMap((stage): CraEvent[] => {
    const due = marks.includes(stage) ? null : findStageDue(stage, times)
    if (due === null) return []
    return [
      { event: 'soon', stage, at: plusHours(due, -craLeadHours[stage]) },
      { event: 'missed', stage, at: due },
    ]
  })
  return [{ event: 'started', at: times.started_at }, ...ofStages]
}
