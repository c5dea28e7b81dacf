import { Stack, Tabs, Text } from '@mantine/core'
import { formatCount } from '../lib/format'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router-dom'

type Tab = { key: string; label: ReactNode; count?: number | undefined; content: ReactNode }
type Props = {
  tabs: Tab[]
  /** Open unless the address names another. */
  initial?: string | undefined
  /** Another tab is no step to go back. */
  replace?: boolean
}

export function UrlTabs({ tabs, initial = tabs[0]?.key ?? '', replace = false }: Props) {
  const [params, setParams] = useSearchParams()
  const key = tabs.find((tab) => tab.key === params.get('tab'))?.key ?? initial
  const choose = (chosen: string | null) =>
    setParams(chosen && chosen !== initial ? { tab: chosen } : {}, { replace, preventScrollReset: true })
  return (
    <Tabs value={key} onChange={choose}>
      <Tabs.List mb="md">
        {tabs.map((tab) => (
          <Tabs.Tab
            key={tab.key}
            value={tab.key}
            rightSection={
              tab.count !== undefined && (
                <Text size="xs" c="dimmed">
                  {formatCount(tab.count)}
                </Text>
              )
            }
          >
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
