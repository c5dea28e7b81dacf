import { Stack } from '@mantine/core'
import { OrgSection } from './org-section'
import { RiskSection } from './risk-section'
import { UserSection } from './user-section'

export const OrgsTab = () => (
  <Stack gap="xl">
    <OrgSection
      below={
        <>
          <RiskSection />
          <UserSection />
        </>
      }
    />
  </Stack>
)
