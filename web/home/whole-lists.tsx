import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { lazy, Suspense } from 'react'
import { ImportButton } from '../monitoring/import-button'

const DropZone = lazy(() => import('../inventories/drop-zone').then((one) => ({ default: one.DropZone })))

export function WholeLists() {
  const [isOpen, { toggle }] = useDisclosure(false)
  return (
    <Stack gap="sm">
      <Text size="xs" c="dimmed" ta="center">
        or add everything at once
      </Text>
      <Group gap="xs" justify="center">
        <Button variant="default" aria-expanded={isOpen} onClick={toggle}>
          Drop an SBOM or a lock file
        </Button>
        <ImportButton label="Import a CSV or XLSX list" variant="default" />
      </Group>
      {isOpen && (
        <Suspense>
          <DropZone />
        </Suspense>
      )}
    </Stack>
  )
}
