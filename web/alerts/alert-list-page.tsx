import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { AlertQuery } from '../../worker/alerts/contract'
import { useFilters } from '../lib/filters'
import { listingFrom } from '../ui/column'
import { EmptyState } from '../ui/empty-state'
import { HelpLink } from '../ui/help-link'
import { Page } from '../ui/page'
import { Pager } from '../ui/pager'
import { AlertTable } from './alert-table'
import { alertsQuery } from './api'

export function AlertListPage() {
  const [filters, setFilters] = useFilters(AlertQuery)
  const alerts = useQuery(alertsQuery(filters))
  return (
    <Page title="Alerts" actions={<HelpLink topic="alerting" about="when an alert is sent" />}>
      <AlertTable listing={listingFrom(alerts)} expected={filters.limit} empty={<NoAlerts />} />
      <Pager of="alerts" paging={filters} found={alerts.data} onChange={setFilters} />
    </Page>
  )
}

function NoAlerts() {
  return (
    <EmptyState
      title="No alerts yet"
      text="When a vulnerability of something you monitor appears or changes, the alert and what became of it are listed here."
    >
      <Button component={Link} to="/products" variant="default" size="xs">
        Choose what to monitor
      </Button>
    </EmptyState>
  )
}
