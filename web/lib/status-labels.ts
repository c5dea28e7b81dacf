import type { VulnStatus } from '../../worker/domain/decisions/status'

export const statusLabels: Record<VulnStatus, string> = {
  undefined: 'Undefined',
  fixed: 'Fixed',
  not_interesting: 'Not Interesting',
  in_progress: 'In Progress',
}
