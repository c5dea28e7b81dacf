import { Button, Group } from '@mantine/core'
import { IconEyePlus } from '@tabler/icons-react'
import { Link } from 'react-router-dom'
import { EmptyState } from '../ui/empty-state'

export function NothingMonitored() {
  return (
    <EmptyState
      title="You monitor nothing yet"
      text="Choose the products you run. Earshot then shows what concerns them here, and alerts you when something changes."
    >
      <Group justify="center">
        <Button
          variant="filled"
          component={Link}
          to="/products"
          size="xs"
          leftSection={<IconEyePlus size={16} aria-hidden />}
        >
          Choose products
        </Button>
        <Button component={Link} to="/monitoring/inventories" size="xs">
          Drop an SBOM
        </Button>
        <Button component={Link} to="/monitoring" size="xs">
          Import a list
        </Button>
      </Group>
    </EmptyState>
  )
}
