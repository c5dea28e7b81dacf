/** News for the admins of a trial, in this order. */
export const trialNews = ['week', 'day', 'end', 'removal'] as const
export type TrialNews = (typeof trialNews)[number]

const day_ms = 86_400_000
/** Days after the end of a trial: it is announced that it is removed, and it is. */
export const removalDays = { announced: 46, done: 60 }
/** Days in which an organization that is to be removed can be restored. */
export const restorableDays = 14

/** The newest thing to be told of a trial that ends at `ends_at`, an ISO time; null while there is nothing. */
export function findTrialNews(ends_at: string, now: Date): TrialNews | null {
  const left = (Date.parse(ends_at) - now.getTime()) / day_ms
  if (left <= -removalDays.announced) return 'removal'
  if (left <= 0) return 'end'
  if (left <= 1) return 'day'
  return left <= 7 ? 'week' : null
}

export const isNewer = (news: TrialNews, told: TrialNews | null) =>
  told === null || trialNews.indexOf(news) > trialNews.indexOf(told)
