import { Stack } from '@mantine/core'
import { OrgSection } from './org-section'
import { UserSection } from './user-section'

export const OrgsTab = () => (
  <Stack gap="xl">
    <OrgSection below={<UserSection />} />
  </Stack>
)
