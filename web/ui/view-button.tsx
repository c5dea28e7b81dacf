import { ActionIcon } from '@mantine/core'
import { IconChevronRight } from '@tabler/icons-react'
import { Link } from 'react-router-dom'

type Props = { to: string; name: string }

export function ViewButton({ to, name }: Props) {
  return (
    <ActionIcon
      size={24}
      component={Link}
      to={to}
      variant="default"
      aria-label={`View ${name}`}
      title="View"
      style={{ verticalAlign: 'middle' }}
    >
      <IconChevronRight size={16} aria-hidden />
    </ActionIcon>
  )
}
