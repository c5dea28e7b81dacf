import { Checkbox, Group, Menu, NativeSelect, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { acceptedKinds, RegisterQuery } from '../../worker/decisions/contract'
import { useFilters } from '../lib/filters'
import { listingFrom } from '../ui/column'
import { DataTable } from '../ui/data-table'
import { EmptyState } from '../ui/empty-state'
import { ExportMenu } from '../ui/export-menu'
import { Page } from '../ui/page'
import { Pager } from '../ui/pager'
import { acceptedQuery, decisionSettingsQuery, exportAcceptedMutation } from './api'
import { kindWords, riskColumns } from './risk-columns'

const kinds = [{ value: '', label: 'All' }, ...acceptedKinds.map((value) => ({ value, label: kindWords[value] }))]

export function RegisterPage() {
  const [filters, setFilters] = useFilters(RegisterQuery)
  const risks = useQuery(acceptedQuery(filters))
  const settings = useQuery(decisionSettingsQuery)
  const file = useMutation(exportAcceptedMutation)
  const data = risks.data && {
    ...risks.data,
    results: risks.data.results.map((row, at) => ({ ...row, id: `${row.kind} ${row.vuln_id} ${at}` })),
  }
  return (
    <Page
      title="Accepted risks"
      actions={
        <ExportMenu isPending={file.isPending}>
          <Menu.Item onClick={() => file.mutate({ format: 'csv', chosen: filters })}>CSV</Menu.Item>
          <Menu.Item onClick={() => file.mutate({ format: 'json', chosen: filters })}>JSON</Menu.Item>
        </ExportMenu>
      }
    >
      <Text size="sm" c="dimmed">
        Risks that you know of and live with: until when, and who answers for them.
        {settings.data?.needs_approver && ' Another manager than the requester approves an accepted risk.'}
      </Text>
      <Group gap="md" align="end">
        <NativeSelect
          label="Kind"
          data={kinds}
          value={filters.kind ?? ''}
          onChange={({ currentTarget: { value } }) => setFilters({ kind: acceptedKinds.find((one) => one === value) })}
        />
        <Checkbox
          label="To be reviewed within 30 days"
          checked={filters.is_due === true}
          onChange={({ currentTarget: { checked } }) => setFilters({ is_due: checked || undefined })}
        />
      </Group>
      <DataTable
        label="Accepted risks"
        columns={riskColumns}
        listing={listingFrom({ ...risks, data })}
        expected={filters.limit}
        failed="Unable to get the accepted risks"
        sort={filters.sorted_by}
        onSort={(sorted_by) => setFilters({ sorted_by })}
        empty={
          <EmptyState
            title="No accepted risk here"
            text="A vulnerability is accepted, set aside or left on its own page, or in an inventory."
          />
        }
      />
      <Pager of="accepted risks" paging={filters} found={risks.data} onChange={setFilters} />
    </Page>
  )
}
