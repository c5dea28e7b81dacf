import { Button, Group } from '@mantine/core'
import { IconMapQuestion } from '@tabler/icons-react'
import { Link, useNavigate } from 'react-router-dom'
import { EmptyState } from '../ui/empty-state'
import { Page } from '../ui/page'

export function NotFoundPage() {
  const navigate = useNavigate()
  return (
    <Page title="Page not found">
      <EmptyState title="404" text="There is no page at this address." icon={IconMapQuestion}>
        <Group justify="center">
          <Button onClick={() => void navigate(-1)}>Take me back!</Button>
          <Button variant="filled" component={Link} to="/">
            Go Home
          </Button>
        </Group>
      </EmptyState>
    </Page>
  )
}
