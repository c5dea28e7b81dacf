import { Group } from '@mantine/core'
import { VulnQuery } from '../../../worker/vulns/contract'
import { useFilters } from '../../lib/filters'
import { Page } from '../../ui/page'
import { ViewMenu } from '../../views/view-menu'
import { AddVulnButton } from '../edit/add-vuln-button'
import { findDefaults } from './defaults'
import { FilterPills } from './filter-pills'
import { InboxButton } from './inbox-button'
import { ListedVulns } from './listed-vulns'
import { QueryBar } from './query-bar'
import { QuickChips } from './quick-chips'
import { ScoreRange } from './score-range'
import { SelectButton } from './select-button'
import { SelectionProvider } from './selection'
import { isWords } from './words-or-query'
import { VulnExport } from './vuln-export'

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
        <ListedVulns
          filters={filters}
          onChange={setFilters}
          controls={
            <Group gap="6px 16px">
              <QuickChips filters={filters} onChange={setFilters} />
              <ScoreRange filters={filters} onChange={(range) => setFilters(range, { replace: true })} />
              <InboxButton />
              <SelectButton />
              <FilterPills filters={filters} unread={unread} onChange={setFilters} />
            </Group>
          }
        />
      </Page>
    </SelectionProvider>
  )
}
