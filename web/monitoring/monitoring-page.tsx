import { Group } from '@mantine/core'
import { UrlTabs } from '../ui/url-tabs'
import { Page } from '../ui/page'
import { AwaitedList } from './awaited-list'
import { ExportButton } from './export-button'
import { ImportButton } from './import-button'
import { ItemList } from './item-list'
import { RemovedLists } from './removed-lists'
import { MonitoredStats } from './monitored-stats'

export function MonitoringPage() {
  return (
    <Page
      title="Monitoring"
      actions={
        <Group gap="xs">
          <ImportButton />
          <ExportButton />
        </Group>
      }
    >
      <MonitoredStats />
      <UrlTabs
        tabs={[
          { key: 'vendors', label: 'Vendors', content: <ItemList key="vendors" list="vendors" /> },
          { key: 'products', label: 'Products', content: <ItemList key="products" list="products" /> },
          { key: 'packages', label: 'Packages', content: <ItemList key="packages" list="packages" /> },
          { key: 'vulns', label: 'Vulns', content: <ItemList key="vulns" list="vulns" /> },
          { key: 'awaited', label: 'Waiting', content: <AwaitedList /> },
        ]}
      />
      <RemovedLists />
    </Page>
  )
}
