import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

export function Done({ message, children }: { message: string; children?: ReactNode }) {
  return (
    <Stack gap="sm" role="status">
      <Text fw={600}>{message}</Text>
      {children}
    </Stack>
  )
}
