import './components.css'
import { Tabs } from '@mantine/core'
import type { ComponentType } from 'react'
import { useSearchParams } from 'react-router-dom'
import type { Access } from '../../worker/domain/people/access'
import { Page } from '../ui/page'
import { useAccess } from '../session/access'
import { AlertingTab } from './alerts/alerting-tab'
import { AuditTab } from './audit/audit-tab'
import { OrgsTab } from './orgs/orgs-tab'
import { ProfileTab } from './account/profile-tab'
import classes from './settings.module.css'
import { ServiceTab } from './objectives/service-tab'
import { SsoTab } from './orgs/sso-tab'
import { SyncTab } from './feeds/sync-tab'

type SettingsTab = { key: string; label: string; access: Access; Content: ComponentType }

const profile: SettingsTab = { key: 'profile', label: 'Profile', access: 'member', Content: ProfileTab }
const tabs: SettingsTab[] = [
  profile,
  { key: 'alerting', label: 'Alerting', access: 'manageAlerts', Content: AlertingTab },
  { key: 'orgs', label: 'Orgs + Users', access: 'manageOrg', Content: OrgsTab },
  { key: 'audit', label: 'Audit', access: 'orgAdmin', Content: AuditTab },
  { key: 'sso', label: 'Single sign-on', access: 'orgAdmin', Content: SsoTab },
  { key: 'sync', label: 'Sync', access: 'admin', Content: SyncTab },
  { key: 'service', label: 'Service', access: 'admin', Content: ServiceTab },
]

// On a narrow screen the tabs scroll sideways.
const reveal = (tab: HTMLElement | null) => tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' })

export function SettingsPage() {
  const [params, setParams] = useSearchParams()
  const may = useAccess()
  const allowed = tabs.filter(({ access }) => may(access))
  const { key } = allowed.find((tab) => tab.key === params.get('tab')) ?? profile

  const choose = (chosen: string | null) => setParams(chosen && chosen !== profile.key ? { tab: chosen } : {})
  return (
    <Page title="Settings">
      <Tabs value={key} onChange={choose} keepMounted={false}>
        <Tabs.List mb="md" className={classes.tabs}>
          {allowed.map((tab) => (
            <Tabs.Tab key={tab.key} value={tab.key} ref={tab.key === key ? reveal : undefined}>
              {tab.label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {allowed.map((tab) => (
          <Tabs.Panel key={tab.key} value={tab.key}>
            <tab.Content />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  )
}
