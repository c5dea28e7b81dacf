import { Button, Group } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router-dom'
import { AlertQuery } from '../../worker/alerts/contract'
import { useFilters } from '../lib/filters'
import { useAccess } from '../session/access'
import { EmptyState } from '../ui/empty-state'
import { HelpLink } from '../ui/help-link'
import { Page } from '../ui/page'
import { PagedTable } from '../ui/paged-table'
import { UrlTabs } from '../ui/url-tabs'
import { AlertFilters } from './alert-filters'
import { alertColumns } from './alert-columns'
import { alertsQuery, resendAllMutation } from './api'
import { ProofTab } from './proof-tab'
import { WhyCard } from './why-card'
import type { Place } from '../lib/ensure'
import { ensure, filtersIn, tabIn } from '../lib/ensure'
import { WriteButton } from '../session/write-button'

export const startAlerts = (place: Place) =>
  tabIn(place) === 'proof' ? undefined : ensure(alertsQuery(filtersIn(place, AlertQuery)))

export function AlertListPage() {
  const [params] = useSearchParams()
  const isProof = params.get('tab') === 'proof'
  return (
    <Page title="Alerts" actions={<Actions />}>
      <UrlTabs
        tabs={[
          { key: 'ledger', label: 'Alerts sent', content: isProof ? null : <Ledger /> },
          { key: 'proof', label: 'Daily proof', content: isProof ? <ProofTab /> : null },
        ]}
      />
    </Page>
  )
}

function Ledger() {
  const [filters, setFilters] = useFilters(AlertQuery)
  const alerts = useQuery(alertsQuery(filters))
  const isFiltered = filterNames.some((name) => filters[name] !== undefined)
  return (
    <>
      <AlertFilters filters={filters} onChange={setFilters} />
      {filters.vuln_id !== undefined && <WhyCard vuln_id={filters.vuln_id} />}
      {alerts.data?.results.some(({ status }) => status === 'failed') && <ResendAll />}
      <PagedTable
        of="alerts"
        found={alerts}
        paging={filters}
        onChange={setFilters}
        columns={alertColumns}
        failed="Unable to get the alerts"
        href={({ vuln }) => `/vulns/${vuln.id}`}
        empty={isFiltered ? <NoMatch onAll={() => setFilters(noFilters)} /> : <NoAlerts />}
      />
    </>
  )
}

function ResendAll() {
  const can = useAccess()
  const resending = useMutation(resendAllMutation)
  if (!can('manageAlerts')) return null
  return (
    <WriteButton variant="default" size="xs" mb="sm" loading={resending.isPending} onClick={() => resending.mutate()}>
      Send all that failed
    </WriteButton>
  )
}

const Actions = () => (
  <Group gap="sm">
    <Button component={Link} to="/reports" variant="default" size="xs">
      Reports
    </Button>
    <HelpLink topic="alerting" about="when an alert is sent" />
  </Group>
)

const filterNames = ['vuln_id', 'status', 'rule', 'channel', 'search', 'from', 'to'] as const
const noFilters = Object.fromEntries(filterNames.map((name) => [name, undefined]))

const NoMatch = ({ onAll }: { onAll: () => void }) => (
  <EmptyState title="No alert matches" text="Filters search the newest alerts of the chosen days.">
    <Button variant="default" size="xs" onClick={onAll}>
      All alerts
    </Button>
  </EmptyState>
)

function NoAlerts() {
  return (
    <EmptyState
      title="No alerts yet"
      text="When a vulnerability in something you monitor appears or changes, the alert and its delivery are listed here."
    >
      <Group gap="xs" justify="center">
        <Button component={Link} to="/products" variant="default" size="xs">
          Choose what to monitor
        </Button>
        <Button component={Link} to="/reports/sample" variant="default" size="xs">
          See a sample
        </Button>
      </Group>
    </EmptyState>
  )
}
