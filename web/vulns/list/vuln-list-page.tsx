import { Group, Button, Chip, Menu } from '@mantine/core'
import { VulnQuery } from '../../../worker/vulns/contract'
import type { VulnQueryInput } from '../../../worker/vulns/contract'
import { useFilters, readFilters } from '../../lib/filters'
import { Page } from '../../ui/page'
import { ViewMenu } from '../../views/view-menu'
import { AddVulnButton } from '../edit/add-vuln-button'
import { findDefaults } from './defaults'
import { FilterPills } from './filter-pills'
import { QueryBar } from './query-bar'
import { SearchHints } from './search-hints'
import { withTerm } from './query-terms'
import { ScoreRange } from './score-range'
import { SelectionProvider, useSelection } from './selection'
import { isWords } from './words-or-query'
import { withColumns } from './list-look'
import { LookMenu } from './look-menu'
import { useSignals } from '@preact/signals-react/runtime'
import { IconInbox, IconSquareCheck } from '@tabler/icons-react'
import { useInboxPlace } from './use-inbox-place'
import { chooseQuickFilter, findQuickFilter } from './quick-filter'
import type { QuickFilter } from './quick-filter'
import { useMutation, useQuery } from '@tanstack/react-query'
import { ExportMenu } from '../../ui/export-menu'
import { exportVulnsMutation, vulnsQuery } from '../api'
import { lazy, Suspense } from 'react'
import type { ReactNode } from 'react'
import { useKeys } from '../../ui/keys'
import { SelectionBar } from './selection-bar'
import { VulnPages } from './vuln-pages'
import { ensure } from '../../lib/ensure'
import type { Place } from '../../lib/ensure'

export function startVulnList({ search }: Place) {
  const params = new URLSearchParams(search)
  return ensure(vulnsQuery(withColumns(readFilters(VulnQuery, params, findDefaults(params)))))
}

export function VulnListPage() {
  const [filters, setFilters, unread] = useFilters(VulnQuery, findDefaults)
  const { q, search } = filters
  // The bar sets one of the two. An address may have both; then a pill shows the words.
  const find = (text: string, isTyping: boolean) =>
    setFilters(isWords(text) ? { search: text, q: undefined } : { q: text, search: undefined }, { replace: isTyping })
  return (
    <SelectionProvider>
      <Page
        title="Vulnerabilities"
        actions={
          <Group gap="xs" flex="1 1 30rem" justify="flex-end">
            <QueryBar text={q ?? search} label="Search vulnerabilities" onSearch={find} />
            <ViewMenu />
            <VulnExport filters={filters} />
            <AddVulnButton />
          </Group>
        }
      >
        <SearchHints
          search={search}
          onFilter={(term, rest) => setFilters({ search: rest || undefined, q: withTerm(q, term) })}
        />
        <ListedVulns
          filters={filters}
          onChange={setFilters}
          controls={
            <Group gap="6px 16px">
              <QuickChips filters={filters} onChange={setFilters} />
              <ScoreRange filters={filters} onChange={(range) => setFilters(range, { replace: true })} />
              <InboxButton />
              <SelectButton />
              <LookMenu />
              <FilterPills filters={filters} unread={unread} onChange={setFilters} />
            </Group>
          }
        />
      </Page>
    </SelectionProvider>
  )
}

function InboxButton() {
  const { isInbox, start, stop } = useInboxPlace()
  return (
    <Button
      variant={isInbox ? 'light' : 'subtle'}
      size="compact-sm"
      aria-pressed={isInbox}
      leftSection={<IconInbox size={15} aria-hidden />}
      onClick={isInbox ? stop : start}
    >
      Inbox
    </Button>
  )
}

function SelectButton() {
  const { isOn, setOn } = useSelection()
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      aria-pressed={isOn}
      leftSection={<IconSquareCheck size={15} aria-hidden />}
      onClick={() => setOn(!isOn)}
    >
      Select
    </Button>
  )
}

type Props = { filters: VulnQuery; onChange: (patch: VulnQueryInput) => void }

const labels: [QuickFilter, string][] = [
  ['all', 'All'],
  ['day', 'Last 24h'],
  ['week', 'Last Week'],
]

function QuickChips({ filters, onChange }: Props) {
  const current = findQuickFilter(filters)
  const isMonitored = filters.monitored === true
  return (
    <Group gap={6} role="group" aria-label="Quick filters">
      {labels.map(([filter, label]) => (
        <Chip
          key={filter}
          variant="outline"
          size="xs"
          checked={filter === current}
          onChange={() => onChange(chooseQuickFilter(current, filter))}
        >
          {label}
        </Chip>
      ))}
      <Chip
        variant="outline"
        size="xs"
        checked={isMonitored}
        onChange={() => onChange({ monitored: isMonitored ? undefined : true, page: 1 })}
      >
        Monitored
      </Chip>
    </Group>
  )
}

function VulnExport({ filters }: { filters: VulnQuery }) {
  const { isPending, mutate } = useMutation(exportVulnsMutation)
  return (
    <ExportMenu isPending={isPending}>
      <Menu.Label>10,000 rows at most</Menu.Label>
      <Menu.Item onClick={() => mutate({ format: 'csv', query: filters })}>CSV</Menu.Item>
      <Menu.Item onClick={() => mutate({ format: 'json', query: filters })}>JSON</Menu.Item>
    </ExportMenu>
  )
}

const Inbox = lazy(() => import('./inbox').then((file) => ({ default: file.Inbox })))

type ListedVulnsProps = {
  filters: VulnQuery
  onChange: (patch: VulnQueryInput) => void
  controls: ReactNode
}

/** Separate from the filters, so that a changed row does not draw them again. */
function ListedVulns({ filters, onChange, controls }: ListedVulnsProps) {
  useSignals()
  const vulns = useQuery(vulnsQuery(withColumns(filters)))
  const { isOn, toggle } = useSelection()
  const { isInbox } = useInboxPlace()
  useKeys([{ key: 'x', text: 'select the row', act: (row) => row && toggle(Number(row.dataset.id)) }])
  return (
    <>
      {controls}
      {isOn && <SelectionBar rows={vulns.data?.results ?? []} />}
      {isInbox ? (
        <Suspense>
          <Inbox vulns={vulns} filters={filters} onChange={onChange} />
        </Suspense>
      ) : (
        <VulnPages vulns={vulns} filters={filters} onChange={onChange} />
      )}
    </>
  )
}
