import { Button, Group } from '@mantine/core'
import { IconBarrierBlock } from '@tabler/icons-react'
import { Link } from 'react-router-dom'
import { EmptyState } from '../ui/empty-state'
import { Page } from '../ui/page'
import type { Planned } from './planned'

export function NotBuiltPage({ title, text, links }: Planned) {
  return (
    <Page title={title}>
      <EmptyState title="Not built yet" text={text} icon={<IconBarrierBlock size={32} stroke={1.5} aria-hidden />}>
        <Group gap="xs" justify="center">
          {links.map(({ to, label }) => (
            <Button key={to} component={Link} to={to} variant="default" size="xs">
              {label}
            </Button>
          ))}
        </Group>
      </EmptyState>
    </Page>
  )
}
