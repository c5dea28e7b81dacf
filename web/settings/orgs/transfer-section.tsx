import { Button, FileButton, Group, Modal, Progress, Stack, Table, Text } from '@mantine/core'
import { mutationOptions, useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { exportOrg, type RecordKind } from '../../../worker/transfer/contract'
import { act } from '../../lib/ask'
import { callForFile } from '../../lib/call'
import { formatCount } from '../../lib/format'
import { saveFile } from '../../lib/save-file'
import { useAccess } from '../../session/access'
import { ChangeButton } from '../../ui/label-button'
import { useFocusBack } from '../../ui/focus-back'
import { bringFile, type Brought } from './bring-file'
import { TabSection } from './section'
import { WriteButton } from '../../session/write-button'

const exportMutation = act(
  async () => saveFile(await callForFile(exportOrg), `earshot_${new Date().toISOString().slice(0, 10)}.ndjson`),
  { failure: 'Unable to export the organization' },
)

type Given = { file: File; tell: (share: number) => void }
const bringMutation = mutationOptions({
  mutationFn: ({ file, tell }: Given) => bringFile(file, tell),
  // Lines from before the failure are there.
  onSettled: (...[, , , , { client }]) => client.invalidateQueries(),
})

export function TransferSection() {
  const isAdmin = useAccess()('orgAdmin')
  const [file, setFile] = useState<File | null>(null)
  if (!isAdmin) return null
  return (
    <TabSection
      title="Take it elsewhere"
      actions={
        <>
          <ChangeButton label="Export" change={exportMutation} given={undefined} />
          <FileButton accept=".ndjson,application/x-ndjson" onChange={setFile} inputProps={{ 'aria-label': 'File' }}>
            {(props) => <WriteButton {...props}>Import…</WriteButton>}
          </FileButton>
        </>
      }
    >
      <Text size="sm" maw={640}>
        One file for another Earshot holds what you watch with groups, versions and exposure, inventories, own
        vulnerabilities and exploits, statuses, assignments, snoozes, accepted risks, comments, shared views and your
        own, alert rules, report times and due dates.
      </Text>
      <Text size="sm" c="dimmed" maw={640}>
        People, sign-in, tokens, addresses and keys of receivers, receivers beyond the first of a kind, sent alerts,
        reports, histories and the audit log stay here.
      </Text>
      {file && <BringDialog file={file} onClose={() => setFile(null)} />}
    </TabSection>
  )
}

function BringDialog({ file, onClose }: { file: File; onClose: () => void }) {
  useFocusBack()
  const [share, setShare] = useState(0)
  const { isPending, error, data, mutate } = useMutation(bringMutation)
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={!isPending}
      closeOnEscape={!isPending}
      closeOnClickOutside={false}
      title="Import an organization"
      size="lg"
    >
      <Stack gap="md">
        {!data && (
          <Text size="sm">
            Adds what <strong>{file.name}</strong> has and your organization has not; your own entries stay. Alert
            rules, report times and due dates of the file replace those here. No alert tells of it as new.
          </Text>
        )}
        {isPending && <Progress value={share * 100} animated aria-label="Imported so far" />}
        {error && (
          <div role="alert">
            <Text size="sm">{error.message}</Text>
            {share > 0 && <Text size="sm">Lines imported until then stay; importing again goes on.</Text>}
          </div>
        )}
        {data && <BroughtTables {...data} />}
        <Group justify="flex-end">
          <Button disabled={isPending} onClick={onClose} data-autofocus>
            {data ? 'Close' : 'Cancel'}
          </Button>
          {!data && (
            <Button variant="filled" loading={isPending} onClick={() => mutate({ file, tell: setShare })}>
              Import
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}

const kindWords: Record<RecordKind, string> = {
  own_vulnerability: 'Own vulnerabilities',
  inventory: 'Inventories',
  watch: 'What is watched',
  group: 'Exposure of groups',
  decision: 'Decisions',
  comment: 'Comments',
  exploit: 'Own exploits',
  threat: 'Own threat activities',
  view: 'Views',
  rules: 'Alert rules',
  settings: 'Settings',
}
const isKind = (kind: string): kind is RecordKind => Object.hasOwn(kindWords, kind)

function BroughtTables({ results, left_out, left_out_count }: Brought) {
  const head = { ta: 'right', style: { whiteSpace: 'nowrap' } } as const
  if (!results.length && !left_out_count)
    return (
      <Text size="sm" role="status">
        The file holds nothing to import.
      </Text>
    )
  return (
    <>
      <Table aria-label="Imported" withRowBorders={false} role="status">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Kind</Table.Th>
            <Table.Th {...head}>New</Table.Th>
            <Table.Th {...head}>Already</Table.Th>
            <Table.Th {...head}>Left out</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {results.map(({ kind, added, already, left_out: left }) => (
            <Table.Tr key={kind}>
              <Table.Th scope="row">{kindWords[kind]}</Table.Th>
              <Table.Td ta="right">{formatCount(added)}</Table.Td>
              <Table.Td ta="right">{formatCount(already)}</Table.Td>
              <Table.Td ta="right">{formatCount(left)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {left_out_count > 0 && (
        <Text component="div" size="sm">
          <strong>
            {left_out_count > left_out.length
              ? `The first ${formatCount(left_out.length)} of ${formatCount(left_out_count)} that were left out`
              : 'Left out'}
          </strong>
          <ul aria-label="Left out">
            {left_out.map(({ line, kind, name, reason }) => (
              <li key={`${line} ${kind}`}>
                Line {line}, {[isKind(kind) ? kindWords[kind] : kind, name].filter(Boolean).join(', ')}: {reason}
              </li>
            ))}
          </ul>
        </Text>
      )}
    </>
  )
}
