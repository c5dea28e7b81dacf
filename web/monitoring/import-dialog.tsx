import './components.css'
import { Button, FileInput, Group, Modal, Progress, SegmentedControl, Stack, Text } from '@mantine/core'
import { IconFileSpreadsheet } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ImportMode } from '../../worker/monitoring/contract'
import { useAccess } from '../session/access'
import { importMutation, tryImportMutation } from './api'
import type { LineChoice } from './api'
import { ImportPreview } from './import-preview'
import { useFocusBack } from '../ui/focus-back'

const modes: { value: ImportMode; label: string; text: string }[] = [
  { value: 'add', label: 'Add', text: 'Adds the items in the file to what you monitor.' },
  { value: 'remove', label: 'Remove', text: 'Stops monitoring the items in the file.' },
  { value: 'sync', label: 'Sync', text: 'Replaces what you monitor with the file, for each kind of item in it.' },
]

export function ImportDialog({ onClose }: { onClose: () => void }) {
  useFocusBack()
  const [file, setFile] = useState<File | null>(null)
  const [mode, setMode] = useState<ImportMode>('add')
  const [choices, setChoices] = useState<ReadonlyMap<number, LineChoice>>(new Map())
  const offered = useAccess()('manageMetadata') ? modes : modes.filter(({ value }) => value === 'add')
  const trying = useMutation(tryImportMutation)
  const writing = useMutation(importMutation)
  const isBusy = trying.isPending || writing.isPending

  const check = (next: { file?: File | null; mode?: ImportMode; choices?: ReadonlyMap<number, LineChoice> }) => {
    const given = { file, mode, choices, ...next }
    setFile(given.file)
    setMode(given.mode)
    setChoices(given.choices)
    if (given.file) trying.mutate({ file: given.file, mode: given.mode, fixes: [...given.choices.values()] })
    else trying.reset()
  }
  const choose = (choice: LineChoice) => check({ choices: new Map([...choices, [choice.line, choice]]) })
  const write = () => file && writing.mutate({ file, mode, fixes: [...choices.values()] }, { onSuccess: onClose })

  return (
    <Modal opened onClose={onClose} closeOnClickOutside={!file} title="Import what you monitor" size="lg" centered>
      <Stack gap="md">
        <FileInput
          label="List"
          description="CSV in UTF-8 or XLSX, with the columns type, value, groups and versions, which a purl may hold; 10,000 lines at most"
          placeholder="Choose a file"
          accept=".csv,.xlsx,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
          leftSection={<IconFileSpreadsheet size={16} aria-hidden />}
          clearable
          clearButtonProps={{ 'aria-label': 'Remove the file' }}
          value={file}
          onChange={(chosen) => check({ file: chosen, choices: new Map() })}
          error={trying.error?.message}
        />
        <div>
          <SegmentedControl
            aria-label="What to do with the list"
            data={offered.map(({ value, label }) => ({ value, label }))}
            value={mode}
            onChange={(value) => check({ mode: modes.find((one) => one.value === value)?.value ?? 'add' })}
          />
          <Text size="sm" c="dimmed" mt={4}>
            {modes.find(({ value }) => value === mode)?.text}
          </Text>
        </div>
        {isBusy && <Busy text={writing.isPending ? 'Importing all lines in one step' : 'Reading the list'} />}
        {trying.data && <ImportPreview reply={trying.data} choices={choices} isBusy={isBusy} onChoose={choose} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button disabled={!file || !trying.data || trying.isPending} loading={writing.isPending} onClick={write}>
            Import
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** The import writes all lines or none, so there is no progress to show. */
function Busy({ text }: { text: string }) {
  return (
    <div>
      <Text size="sm" role="status" mb={4}>
        {text}
      </Text>
      <Progress value={100} animated aria-label={text} />
    </div>
  )
}
