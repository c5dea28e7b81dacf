import { IconBan, IconCheck } from '@tabler/icons-react'
import { Mark } from '../../ui/mark'

export function ActiveMark({ isActive }: { isActive: boolean }) {
  if (isActive)
    return (
      <Mark tone="calm" icon={<IconCheck size={12} aria-hidden />}>
        Enabled
      </Mark>
    )
  return (
    <Mark tone="quiet" icon={<IconBan size={12} aria-hidden />}>
      Disabled
    </Mark>
  )
}
