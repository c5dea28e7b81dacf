import { Stack, Tabs } from '@mantine/core'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router-dom'

type Tab = { key: string; label: string; content: ReactNode }

export function UrlTabs({ tabs }: { tabs: [Tab, ...Tab[]] }) {
  const [params, setParams] = useSearchParams()
  const [first] = tabs
  const { key } = tabs.find((tab) => tab.key === params.get('tab')) ?? first
  const choose = (chosen: string | null) =>
    setParams(chosen && chosen !== first.key ? { tab: chosen } : {}, { preventScrollReset: true })
  return (
    <Tabs value={key} onChange={choose}>
      <Tabs.List mb="md">
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.key} value={tab.key}>
            {tab.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map((tab) => (
        <Tabs.Panel key={tab.key} value={tab.key}>
          <Stack gap="md">{tab.content}</Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
