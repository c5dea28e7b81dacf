import { Button, Checkbox, Chip, Group, Menu, Popover, RangeSlider, Stack, Text } from '@mantine/core'
import { useSignals } from '@preact/signals-react/runtime'
import { IconColumns3, IconInbox, IconSquareCheck } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState, type ReactNode } from 'react'
import { useDisclosure } from '@mantine/hooks'
import { VulnQuery, type VulnQueryInput } from '../../../worker/vulns/contract'
import { readFilters, useFilters } from '../../lib/filters'
import { Page } from '../../ui/page'
import { ViewMenu } from '../../views/view-menu'
import { AddVulnButton } from '../edit/add-vuln-button'
import { findDefaults } from './defaults'
import { FilterPills } from './filter-pills'
import { QueryBar } from './query-bar'
import { SearchHints } from './search-hints'
import { withTerm } from './query-terms'
import { SelectionProvider, useSelection } from './selection'
import { isWords } from './query-draft'
import { choosableColumns, hiddenColumns, isSlim, resetLook, setSlim, toggleColumn, withColumns } from './list-look'
import { useInboxPlace } from './use-inbox-place'
import { chooseQuickFilter, findQuickFilter, type QuickFilter } from './quick-filter'
import { ExportMenu } from '../../ui/export-menu'
import { exportVulnsMutation, vulnsQuery } from '../api'
import { useKeys } from '../../ui/keys'
import { SelectionBar } from './selection-bar'
import { VulnPages } from './vuln-pages'
import { ensure, type Place } from '../../lib/ensure'
import classes from './score-range.module.css'

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
          <Group flex="1 1 30rem" justify="flex-end">
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

const lowest = 0
const highest = 100

function ScoreRange({ filters, onChange }: Props) {
  const { score__gte: from = lowest, score__lte: to = highest } = filters
  const [dragged, setDragged] = useState<[number, number]>()
  const [low, high] = dragged ?? [from, to]

  // The whole range is no filter: it must not hide unscored vulnerabilities.
  const apply = ([start, end]: [number, number]) => {
    setDragged(undefined)
    onChange({ score__gte: start > lowest ? start : undefined, score__lte: end < highest ? end : undefined })
  }
  return (
    <div className={classes.range}>
      <Text size="sm" className={classes.label}>
        Score {low}–{high}
      </Text>
      <RangeSlider
        size="sm"
        min={lowest}
        max={highest}
        step={5}
        minRange={0}
        label={null}
        thumbSize={20}
        thumbFromLabel="Lowest score"
        thumbToLabel="Highest score"
        value={[low, high]}
        onChange={setDragged}
        onChangeEnd={apply}
      />
    </div>
  )
}

/** Columns of the list, and the height of its rows; this browser remembers both. */
function LookMenu() {
  useSignals()
  const [isOpen, { toggle, close }] = useDisclosure(false)
  return (
    <Popover
      opened={isOpen}
      onDismiss={close}
      trapFocus
      returnFocus
      withinPortal={false}
      position="bottom-end"
      shadow="md"
    >
      <Popover.Target>
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<IconColumns3 size={15} aria-hidden />}
          onClick={toggle}
        >
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns">
        <Stack gap={8} p={8}>
          {choosableColumns.map(([key, label]) => (
            <Checkbox
              key={key}
              size="xs"
              label={label}
              checked={!hiddenColumns.value.has(label)}
              onChange={() => toggleColumn(key)}
            />
          ))}
          <Checkbox
            size="xs"
            label="Rows of one line"
            checked={isSlim.value}
            onChange={({ currentTarget }) => setSlim(currentTarget.checked)}
          />
          <Button variant="subtle" size="compact-xs" onClick={resetLook}>
            Usual columns
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
