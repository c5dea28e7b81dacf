import { Mark } from '../../ui/mark'

// The words of CVSS, and those of vendors (Red Hat, Microsoft).
const tones: Record<string, 'alarm' | 'warning' | 'plain'> = {
  critical: 'alarm',
  high: 'alarm',
  important: 'alarm',
  medium: 'warning',
  moderate: 'warning',
}

export function BulletinSeverity({ severity }: { severity: string | null }) {
  if (!severity) return <span>n/a</span>
  return <Mark tone={tones[severity.toLowerCase()] ?? 'plain'}>{severity}</Mark>
}
