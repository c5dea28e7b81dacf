import { Stack, Switch } from '@mantine/core'
import { DueSection } from './due-section'
import { OrgSection } from './org-section'
import { UserSection } from './user-section'
import { useMutation, useQuery } from '@tanstack/react-query'
import { decisionSettingsQuery, editDecisionSettingsMutation } from '../../decisions/api'
import { useAccess } from '../../session/access'
import { AppLink } from '../../ui/app-link'
import { FailedLine } from '../../ui/failed-line'
import { TabSection } from './section'
import { TransferSection } from './transfer-section'
import { useReadOnly } from '../../session/known-org'

export const OrgsTab = () => (
  <Stack gap="xl">
    <OrgSection
      below={
        <>
          <DueSection />
          <RiskSection />
          <UserSection />
          <TransferSection />
        </>
      }
    />
  </Stack>
)

function RiskSection() {
  const mayEdit = useAccess()('manageOrg')
  const settings = useQuery(decisionSettingsQuery)
  const { isPending, mutate } = useMutation(editDecisionSettingsMutation)
  return (
    <TabSection title="Accepted risks" actions={<AppLink to="/risks">The register</AppLink>}>
      <FailedLine text="The setting could not be loaded." query={settings} />
      <Switch
        label="A risk is accepted only when another manager than whoever asks approves it"
        description="Risks that are accepted already stay accepted."
        checked={settings.data?.needs_approver ?? false}
        disabled={!mayEdit || !settings.data || isPending}
        {...useReadOnly()}
        onChange={({ currentTarget: { checked } }) => mutate(checked)}
      />
    </TabSection>
  )
}
