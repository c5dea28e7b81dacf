import { IconBan, IconCheck } from '@tabler/icons-react'
import { Mark } from '../../ui/mark'

export function ActiveMark({ isActive }: { isActive: boolean }) {
  if (isActive)
    return (
      <Mark tone="calm" icon={IconCheck}>
        Enabled
      </Mark>
    )
  return (
    <Mark tone="quiet" icon={IconBan}>
      Disabled
    </Mark>
  )
}
