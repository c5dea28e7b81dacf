import { Button, Group } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useEffect } from 'react'
import { useRouteError } from 'react-router-dom'
import { EmptyState } from '../ui/empty-state'
import { Page } from '../ui/page'

export function RouteErrorPage() {
  const error = useRouteError()
  useEffect(() => {
    if (isOutdated(error)) void reloadIfDeployed()
  }, [error])
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

/** A deployment takes away the files of the version before it, which an open page has not loaded yet. */
async function reloadIfDeployed() {
  const page = await fetch('/', { cache: 'no-store' }).catch(() => undefined)
  if (!page?.ok) return
  const [text, scripts] = [await page.text(), document.querySelectorAll('script[type="module"][src]')]
  if ([...scripts].some((script) => !text.includes(script.getAttribute('src') ?? ''))) location.reload()
}
