import { Button, Group } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useRouteError } from 'react-router-dom'
import { EmptyState } from '../ui/empty-state'
import { Page } from '../ui/page'

export function RouteErrorPage() {
  const error = useRouteError()
  const text = isOutdated(error)
    ? 'A part of Earshot could not be loaded: there may be a newer version, or no connection.'
    : 'This screen has failed. None of your data is lost.'
  return (
    <Page title="Something went wrong">
      <EmptyState
        title={text}
        text={error instanceof Error ? error.message : undefined}
        icon={<IconAlertTriangle size={32} stroke={1.5} aria-hidden />}
      >
        <Group gap="xs" justify="center">
          <Button onClick={() => location.reload()}>Reload</Button>
          <Button component="a" href="/" variant="default">
            Go Home
          </Button>
        </Group>
      </EmptyState>
    </Page>
  )
}

const isOutdated = (error: unknown) => error instanceof Error && /import|module|preload/i.test(error.message)
