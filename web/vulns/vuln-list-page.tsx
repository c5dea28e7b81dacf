import { Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { VulnQuery } from '../../worker/vulns/contract'
import { useFilters } from '../lib/filters'
import { Page } from '../ui/page'
import { SearchField } from '../ui/search-field'
import { ViewMenu } from '../views/view-menu'
import { AddVulnButton } from './add-vuln-button'
import { vulnsQuery } from './api'
import { ExportMenu } from './export-menu'
import { FilterPills } from './filter-pills'
import { KeysHelp } from './keys-help'
import { useListKeys } from './list-keys'
import { QueryBar } from './query-bar'
import { QuickChips } from './quick-chips'
import { ScoreRange } from './score-range'
import { SelectionBar } from './selection-bar'
import { SelectionProvider } from './selection'
import { VulnPages } from './vuln-pages'

const defaults = { limit: 10 }

export function VulnListPage() {
  const [filters, setFilters] = useFilters(VulnQuery, defaults)
  const vulns = useQuery(vulnsQuery(filters))
  const [isHelpOpen, help] = useDisclosure(false)
  const list = useRef<HTMLDivElement>(null)
  useListKeys({ list, onHelp: help.open })
  return (
    <Page
      title="Vulnerabilities"
      actions={
        <Group gap="xs">
          <ViewMenu />
          <ExportMenu filters={filters} />
          <KeysHelp isOpen={isHelpOpen} onOpen={help.open} onClose={help.close} />
          <AddVulnButton />
        </Group>
      }
    >
      <SelectionProvider>
        <div ref={list} style={{ display: 'contents' }}>
          <Group gap="md" justify="space-between">
            <QuickChips filters={filters} onChange={setFilters} />
            <Group gap="lg">
              <ScoreRange filters={filters} onChange={(range) => setFilters(range, { replace: true })} />
              <SearchField
                label="Search vulnerabilities"
                value={filters.search}
                onChange={(search) => setFilters({ search }, { replace: true })}
              />
            </Group>
          </Group>
          <QueryBar q={filters.q} onSearch={(q) => setFilters({ q })} />
          <Group gap="xs" justify="space-between">
            <FilterPills filters={filters} onChange={setFilters} />
            <SelectionBar rows={vulns.data?.results ?? []} />
          </Group>
          <VulnPages vulns={vulns} filters={filters} onChange={setFilters} />
        </div>
      </SelectionProvider>
    </Page>
  )
}
