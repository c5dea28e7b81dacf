import { Checkbox, Group, Menu, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { RegisterQuery } from '../../worker/decisions/contract'
import { useFilters } from '../lib/filters'
import { EmptyState } from '../ui/empty-state'
import { ExportMenu } from '../ui/export-menu'
import { Page } from '../ui/page'
import { PagedTable } from '../ui/paged-table'
import { ValueFilter } from '../ui/value-filter'
import { acceptedQuery, decisionSettingsQuery, exportAcceptedMutation } from './api'
import { kindWords, riskColumns } from './risk-columns'

export function RegisterPage() {
  const [filters, setFilters] = useFilters(RegisterQuery)
  const settings = useQuery(decisionSettingsQuery)
  const file = useMutation(exportAcceptedMutation)
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
        <ValueFilter name="kind" label="Kind" any="All" words={kindWords} filters={filters} onChange={setFilters} />
        <Checkbox
          label="To be reviewed within 30 days"
          checked={filters.is_due === true}
          onChange={({ currentTarget: { checked } }) => setFilters({ is_due: checked || undefined })}
        />
      </Group>
      <PagedTable
        of="accepted risks"
        found={useQuery(acceptedQuery(filters))}
        paging={filters}
        onChange={setFilters}
        columns={riskColumns}
        rowId={({ kind, vuln_id }, at) => `${kind} ${vuln_id} ${at}`}
        failed="Unable to get the accepted risks"
        empty={
          <EmptyState
            title="No accepted risk here"
            text="A vulnerability is accepted, set aside or left on its own page, or in an inventory."
          />
        }
      />
    </Page>
  )
}
