import { Stack } from '@mantine/core'
import { DueSection } from './due-section'
import { OrgSection } from './org-section'
import { RiskSection } from './risk-section'
import { UserSection } from './user-section'

export const OrgsTab = () => (
  <Stack gap="xl">
    <OrgSection
      below={
        <>
          <DueSection />
          <RiskSection />
          <UserSection />
        </>
      }
    />
  </Stack>
)
