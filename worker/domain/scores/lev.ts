import { findNewModels, type EpssModel } from './epss-models'

type EpssPast = { until: string; epss: number }

/** How probable it is, at least, that a vulnerability was exploited before: a lower bound of the days `since` to `to`. */
type Lev = { lev: number; since: string; to: string; new_models: EpssModel[] }

/** EPSS by the file of `today`. */
type LevScene = { now: number | null; today: string; models: EpssModel[] }

export const window_days = 30
const day_ms = 86_400_000

/**
 * LEV, by NIST CSWP 41: 1 - the product of (1 - EPSS_i × weight_i) over windows of 30 days, the last one weighted by its part that
 * has passed. EPSS from 0 to 1, days as YYYY-MM-DD, `history` oldest first, each value in three decimals. Its first value has no
 * first day, so that the windows begin on the day on which it ended. Null where no EPSS is known, or no such day. Scores of several
 * models are multiplied as they are; `new_models` names the changes between.
 */
export function computeLev(history: EpssPast[], { now, today, models }: LevScene): Lev | null {
  const since = history[0]?.until
  if (since === undefined || now === null || since > today) return null
  const days = Math.round((Date.parse(today) - Date.parse(since)) / day_ms)
  let none = 1
  let next = 0
  for (let day = 0; day < days; day += window_days) {
    const date = new Date(Date.parse(since) + day * day_ms).toISOString().slice(0, 10)
    while (next < history.length && (history[next]?.until ?? '') <= date) next++
    none *= 1 - (history[next]?.epss ?? now) * (Math.min(window_days, days - day) / window_days)
  }
  return { lev: 1 - none, since, to: today, new_models: findNewModels(models, since, today) }
}

/** The greatest of EPSS, KEV as 1, and LEV (NIST CSWP 41), from 0 to 1; null where none is known. */
export function composeProbability(epss: number | null, isKev: boolean, lev: number | null) {
  const known = [epss, lev, isKev ? 1 : null].filter((value) => value !== null)
  return known.length ? Math.max(...known) : null
}
