import { Group, NumberInput, Progress, Radio, Stack, Table, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DueSettings } from '../../../worker/decisions/due-contract'
import { duePolicies, maxDueDays, type DuePolicy, type DueTable } from '../../../worker/domain/decisions/due'
import { severities, severityLabels } from '../../../worker/domain/scores/severity'
import { duePolicyQuery, editDuePolicyMutation } from '../../decisions/api'
import { formatCount } from '../../lib/format'
import { useAccess } from '../../session/access'
import { AppLink } from '../../ui/app-link'
import { FailedLine } from '../../ui/failed-line'
import { TabSection } from './section'
import { WriteButton } from '../../session/write-button'

const choices: Record<DuePolicy, { label: string; description: string }> = {
  cisa_kev: { label: 'The day that CISA wrote into KEV', description: 'Only what CISA lists as exploited is due.' },
  bod_26_04: {
    label: 'CISA’s directive BOD 26-04',
    description:
      '3 days (with or without forensic triage), 14 days, 60 days or the next upgrade, by KEV, public exposure, automatable attacks and technical impact, for all that you monitor.',
  },
  own: {
    label: 'Your own table',
    description: 'Days by severity and public exposure from when you could first know of it, for all that you monitor.',
  },
  none: { label: 'No deadlines', description: 'Nothing is due, and nothing overdue.' },
}

export function DueSection() {
  const settings = useQuery({
    ...duePolicyQuery,
    refetchInterval: ({ state }) => (state.data?.remaking ? look_ms : false),
  })
  return (
    <TabSection title="Due dates" actions={<AppLink to="/vulns?sorted_by=due&monitored=true">Due first</AppLink>}>
      <FailedLine text="The policy could not be loaded." query={settings} />
      {settings.data && <Saved {...settings.data} />}
    </TabSection>
  )
}

/** So often it looks how far the new days are. */
const look_ms = 3_000

function Saved({ remaking, ...saved }: DueSettings) {
  return (
    <Stack gap="md">
      {remaking && (
        <div role="status">
          <Text size="sm">
            {formatCount(remaking.done)} of {formatCount(remaking.total)} vulnerabilities have their new days. The
            others follow within minutes.
          </Text>
          <Progress value={(remaking.done / remaking.total) * 100} aria-label="New due days" mt={4} />
        </div>
      )}
      <DueForm key={JSON.stringify(saved)} saved={saved} />
    </Stack>
  )
}

type Choice = Omit<DueSettings, 'remaking'>

function DueForm({ saved }: { saved: Choice }) {
  const mayEdit = useAccess()('manageOrg')
  const { isPending, mutate } = useMutation(editDuePolicyMutation)
  const [policy, setPolicy] = useState(saved.due_policy)
  const [table, setTable] = useState(saved.table)
  const isChanged = JSON.stringify({ due_policy: policy, table }) !== JSON.stringify(saved)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        mutate({ due_policy: policy, table })
      }}
    >
      <Stack gap="md">
        <Radio.Group
          label="By what due dates are made"
          value={policy}
          onChange={(chosen) => setPolicy(duePolicies.find((name) => name === chosen) ?? policy)}
        >
          <Stack gap="xs" mt="xs">
            {duePolicies.map((name) => (
              <Radio key={name} value={name} disabled={!mayEdit} {...choices[name]} />
            ))}
          </Stack>
        </Radio.Group>
        {policy === 'own' && <DaysTable table={table} isDisabled={!mayEdit} onChange={setTable} />}
        <Text size="sm" c="dimmed">
          To be told, switch on “Due tomorrow, and overdue” under{' '}
          <AppLink to="/settings?tab=alerting">Alerting</AppLink>.
        </Text>
        {mayEdit && (
          <Group>
            <WriteButton variant="filled" type="submit" disabled={!isChanged} loading={isPending}>
              Save due dates
            </WriteButton>
          </Group>
        )}
      </Stack>
    </form>
  )
}

const sides = [
  ['exposed', 'publicly exposed'],
  ['not_exposed', 'not publicly exposed'],
] as const
type DaysProps = { table: DueTable; isDisabled: boolean; onChange: (table: DueTable) => void }

function DaysTable({ table, isDisabled, onChange }: DaysProps) {
  return (
    <Table maw={520} withRowBorders={false}>
      <Table.Caption>
        Days; an empty field is no deadline. While exposure is not known, the shorter time counts.
      </Table.Caption>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Severity</Table.Th>
          <Table.Th>Publicly exposed</Table.Th>
          <Table.Th>Not exposed</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {severities.map((severity) => (
          <Table.Tr key={severity}>
            <Table.Th scope="row">{severityLabels[severity]}</Table.Th>
            {sides.map(([side, label]) => (
              <Table.Td key={side}>
                <NumberInput
                  aria-label={`Days for ${severityLabels[severity]}, ${label}`}
                  placeholder="none"
                  min={1}
                  max={maxDueDays}
                  clampBehavior="strict"
                  allowDecimal={false}
                  disabled={isDisabled}
                  value={table[severity][side] ?? ''}
                  onChange={(value) =>
                    onChange({ ...table, [severity]: { ...table[severity], [side]: Number(value) || null } })
                  }
                />
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
