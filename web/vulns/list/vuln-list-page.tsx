import { Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useRef } from 'react'
import { VulnQuery } from '../../../worker/vulns/contract'
import { useFilters } from '../../lib/filters'
import { Page } from '../../ui/page'
import { SearchField } from '../../ui/search-field'
import { ViewMenu } from '../../views/view-menu'
import { AddVulnButton } from '../edit/add-vuln-button'
import { ExportMenu } from './export-menu'
import { FilterPills } from './filter-pills'
import { KeysHelp } from './keys-help'
import { useListKeys } from './list-keys'
import { ListedVulns } from './listed-vulns'
import { QueryBar } from './query-bar'
import { QuickChips } from './quick-chips'
import { ScoreRange } from './score-range'
import { SelectionProvider } from './selection'

const defaults = { limit: 10 }

export function VulnListPage() {
  const [filters, setFilters, unread] = useFilters(VulnQuery, defaults)
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
          <ListedVulns
            filters={filters}
            onChange={setFilters}
            pills={<FilterPills filters={filters} unread={unread} onChange={setFilters} />}
          />
        </div>
      </SelectionProvider>
    </Page>
  )
}
