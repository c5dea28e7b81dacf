import { Group, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = { title: string; actions: ReactNode; children: ReactNode }

export const TabSection = ({ title, actions, children }: Props) => (
  <Stack gap="sm">
    <Group justify="space-between" gap="sm">
      <Title order={2}>{title}</Title>
      <Group gap="xs" w={{ base: '100%', xs: 'auto' }}>
        {actions}
      </Group>
    </Group>
    {children}
  </Stack>
)
