import { plural } from '../lib/format'

const day_ms = 86_400_000

type Info = { is_read_only: boolean; trial_ends_at: string | null }

export function describeTrial({ is_read_only, trial_ends_at }: Info, now = new Date()) {
  if (!trial_ends_at) return null
  const left_ms = new Date(trial_ends_at).getTime() - now.getTime()
  if (is_read_only || left_ms <= 0) return { isOver: true, title: 'Your trial has ended' }
  if (left_ms < day_ms) return { isOver: false, title: 'Your trial ends within a day' }
  return { isOver: false, title: `Your trial ends in ${plural(Math.ceil(left_ms / day_ms), 'day')}` }
}
