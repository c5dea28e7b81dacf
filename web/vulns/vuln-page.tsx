import { Skeleton, Stack, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router-dom'
import { useIdParam } from '../lib/id-param'
import { isNotFound } from '../lib/not-found'
import { FailedState } from '../ui/failed-state'
import { MissingState } from '../ui/missing-state'
import { Page } from '../ui/page'
import { vulnQuery } from './api'
import { HistoryTab } from './history-tab'
import { SummaryTab } from './summary-tab'
import { VulnHeading } from './vuln-heading'
import { VulnToggle } from './vuln-toggle'

export function VulnPage() {
  const id = useIdParam()
  return id === undefined ? <NoVuln /> : <Vuln id={id} />
}

const NoVuln = () => <MissingState title="Vulnerability not found" to="/vulns" label="All vulnerabilities" />

function Vuln({ id }: { id: number }) {
  const { data: vuln, error, refetch } = useQuery(vulnQuery(id))

  if (isNotFound(error)) return <NoVuln />
  return (
    <Page
      title={vuln?.cveid ? `PH-${id} ${vuln.cveid}` : `PH-${id}`}
      heading={error ? undefined : <VulnHeading id={id} vuln={vuln} />}
      actions={vuln ? <VulnToggle vuln={vuln} /> : <Skeleton height={26} width={130} radius="xl" />}
    >
      {error && <FailedState title="Unable to get vuln details" error={error} onRetry={() => void refetch()} />}
      {!error && (
        <VulnTabs summary={vuln ? <SummaryTab vuln={vuln} /> : <Waiting />} history={<HistoryTab id={id} />} />
      )}
    </Page>
  )
}

function VulnTabs({ summary, history }: { summary: ReactNode; history: ReactNode }) {
  const [params, setParams] = useSearchParams()
  const tab = params.get('tab') === 'history' ? 'history' : 'summary'
  const choose = (chosen: string | null) =>
    setParams(chosen === 'history' ? { tab: 'history' } : {}, { replace: true, preventScrollReset: true })
  return (
    <Tabs value={tab} onChange={choose}>
      <Tabs.List mb="md">
        <Tabs.Tab value="summary">Summary</Tabs.Tab>
        <Tabs.Tab value="history">History</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="summary">{summary}</Tabs.Panel>
      <Tabs.Panel value="history">{history}</Tabs.Panel>
    </Tabs>
  )
}

const Waiting = () => (
  <Stack gap="md" aria-busy>
    <Skeleton height={96} />
    <Skeleton height={220} />
    <Skeleton height={320} />
  </Stack>
)
