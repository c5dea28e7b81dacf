import { Button, Group, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router-dom'
import type * as z from 'zod'
import { AlertQuery } from '../../worker/alerts/contract'
import { ruleNames } from '../../worker/domain/alerts/alert-rules'
import { useFilters } from '../lib/filters'
import { useAccess } from '../session/access'
import { EmptyState } from '../ui/empty-state'
import { HelpLink } from '../ui/help-link'
import { Page } from '../ui/page'
import { PagedTable } from '../ui/paged-table'
import { UrlTabs } from '../ui/url-tabs'
import { alertColumns, statusWords } from './alert-columns'
import { alertsQuery, resendAllMutation } from './api'
import { ProofTab } from './proof-tab'
import { WhyCard } from './why-card'
import { type Place, ensure, filtersIn, tabIn } from '../lib/ensure'
import { WriteButton } from '../session/write-button'
import { formatDate } from '../lib/format'
import { endOfDay, startOfDay } from '../lib/zone'
import { ValueFilter } from '../ui/value-filter'
import { SearchField } from '../ui/search-field'
import { channelWords } from './deliveries'

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
    <WriteButton size="xs" mb="sm" loading={resending.isPending} onClick={() => resending.mutate()}>
      Send all that failed
    </WriteButton>
  )
}

const Actions = () => (
  <Group gap="sm">
    <Button component={Link} to="/reports" size="xs">
      Reports
    </Button>
    <HelpLink topic="alerting" about="when an alert is sent" />
  </Group>
)

const filterNames = ['vuln_id', 'status', 'rule', 'channel', 'search', 'from', 'to'] as const
const noFilters = Object.fromEntries(filterNames.map((name) => [name, undefined]))

const NoMatch = ({ onAll }: { onAll: () => void }) => (
  <EmptyState title="No alert matches" text="Filters search the newest alerts of the chosen days.">
    <Button size="xs" onClick={onAll}>
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
      <Group justify="center">
        <Button component={Link} to="/products" size="xs">
          Choose what to monitor
        </Button>
        <Button component={Link} to="/reports/sample" size="xs">
          See a sample
        </Button>
      </Group>
    </EmptyState>
  )
}

type Patch = Partial<z.input<typeof AlertQuery>>
type AlertFiltersProps = { filters: AlertQuery; onChange: (patch: Patch, how?: { replace: boolean }) => void }

function AlertFilters(props: AlertFiltersProps) {
  const { filters, onChange } = props
  const { search, from, to } = filters
  return (
    <Group justify="space-between">
      <Group role="group" aria-label="Filters">
        <ValueFilter name="status" label="Status" words={statusWords} {...props} />
        <ValueFilter name="rule" label="Rule" words={ruleNames} {...props} />
        <ValueFilter name="channel" label="Channel" words={channelWords} {...props} />
        <Day label="From" value={from} onChange={(day) => onChange({ from: startOfDay(day) })} />
        <Day label="To" value={to} onChange={(day) => onChange({ to: endOfDay(day) })} />
      </Group>
      <SearchField
        label="CVE id, PH id or words"
        value={search}
        onChange={(text) => onChange({ search: text, vuln_id: undefined }, { replace: true })}
      />
    </Group>
  )
}

type DayProps = { label: string; value: string | undefined; onChange: (day: string) => void }

const Day = ({ label, value, onChange }: DayProps) => (
  <TextInput
    type="date"
    size="xs"
    aria-label={label}
    leftSection={
      <Text size="xs" c="dimmed">
        {label}
      </Text>
    }
    leftSectionWidth={46}
    leftSectionProps={{ 'aria-hidden': true }}
    value={value ? formatDate(value) : ''}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
  />
)
