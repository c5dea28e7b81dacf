import { Loader } from '@mantine/core'
import { Page } from '../ui/page'

export const SigningIn = () => (
  <Page title="Signing in…">
    <Loader size="sm" />
  </Page>
)
