import { Box, Button, Group } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useEffect } from 'react'
import { useRouteError } from 'react-router-dom'
import { isCodeLost, lostCodeWords } from '../lib/lost-code'
import { EmptyState } from '../ui/empty-state'
import { Page } from '../ui/page'

export function RouteErrorPage() {
  const error = useRouteError()
  useEffect(() => {
    if (isCodeLost(error)) void reloadIfDeployed()
  }, [error])
  const words = isCodeLost(error)
    ? { title: lostCodeWords }
    : {
        title: 'This screen has failed. None of your data is lost.',
        text: error instanceof Error ? error.message : undefined,
      }
  return (
    <Page title="Something went wrong">
      <EmptyState {...words} icon={IconAlertTriangle}>
        <Group justify="center">
          <Button variant="filled" onClick={() => location.reload()}>
            Reload
          </Button>
          <Button component="a" href="/">
            Go Home
          </Button>
        </Group>
      </EmptyState>
    </Page>
  )
}

/** Where the frame of the app has failed, too. */
export const BareErrorPage = () => (
  <Box component="main" p="lg">
    <RouteErrorPage />
  </Box>
)

/** A deployment takes away the files of the version before it, which an open page has not loaded yet. */
async function reloadIfDeployed() {
  const page = await fetch('/', { cache: 'no-store' }).catch(() => undefined)
  if (!page?.ok) return
  const [text, scripts] = [await page.text(), document.querySelectorAll('script[type="module"][src]')]
  if ([...scripts].some((script) => !text.includes(script.getAttribute('src') ?? ''))) location.reload()
}
