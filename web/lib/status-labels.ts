import type { VulnStatus } from '../../worker/domain/status'

export const statusLabels: Record<VulnStatus, string> = {
  undefined: 'Undefined',
  fixed: 'Fixed',
  not_interesting: 'Not Interesting',
  in_progress: 'In Progress',
}
