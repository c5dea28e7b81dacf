import './components.css'
import {
  Button,
  FileInput,
  Group,
  Modal,
  Progress,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { IconFileSpreadsheet } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ImportMode, ImportReply, UnknownLine } from '../../worker/monitoring/import-contract'
import { useAccess } from '../session/access'
import { importMutation, tryImportMutation, type LineChoice } from './api'
import { FormFoot } from '../ui/form'
import { useFocusBack } from '../ui/focus-back'
import { plural } from '../lib/format'
import classes from './monitoring.module.css'

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
    <Modal opened onClose={onClose} closeOnClickOutside={!file} title="Import what you monitor" size="lg">
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
            onChange={(value) => check({ mode: modes.find((known) => known.value === value)?.value ?? 'add' })}
          />
          <Text size="sm" c="dimmed" mt={4}>
            {modes.find(({ value }) => value === mode)?.text}
          </Text>
        </div>
        {isBusy && <Busy text={writing.isPending ? 'Importing all lines in one step' : 'Reading the list'} />}
        {trying.data && <ImportPreview reply={trying.data} choices={choices} isBusy={isBusy} onChoose={choose} />}
        <FormFoot
          action="Import"
          isReady={file !== null && trying.data !== undefined && !trying.isPending}
          isPending={writing.isPending}
          onPress={write}
          onClose={onClose}
        />
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

type ImportPreviewProps = {
  reply: ImportReply
  choices: ReadonlyMap<number, LineChoice>
  isBusy: boolean
  onChoose: (choice: LineChoice) => void
}

const words = {
  add: 'is added',
  change: 'gets other groups or versions',
  already: 'is already monitored',
  remove: 'is removed',
  await: 'is not known yet: monitored as soon as it is',
  absent: 'is not monitored',
  unlisted: 'is removed: the list does not name it',
  repeated: 'does nothing: an earlier line names it',
}

type Line = ImportReply['lines'][number]
type PreviewLine = Pick<Line, 'type' | 'value'> & { line: number | null; action: keyof typeof words }

function ImportPreview({ reply, isBusy, ...mending }: ImportPreviewProps) {
  const { added, changed, already, removed, awaited, unknown, lines, repeated, unlisted } = reply
  const isSame = ({ action }: Line) => action === 'already'
  const changes = [
    ...lines.filter((line) => !isSame(line)),
    ...unlisted.map((item) => ({ ...item, line: null, action: 'unlisted' as const })),
  ]
  return (
    <Stack aria-busy={isBusy}>
      <div role="status" aria-label="What the import does">
        <ul className={classes.numbers}>
          <li>{plural(added, 'item')} added</li>
          {changed > 0 && <li>{changed} changed</li>}
          {removed > 0 && <li>{removed} removed</li>}
          <li>{already} already monitored</li>
          {awaited > 0 && <li>{awaited} not known yet</li>}
          {unknown.length > 0 && <li>{plural(unknown.length, 'line')} to check</li>}
        </ul>
      </div>
      {unknown.length > 0 && <UnknownLines lines={unknown} {...mending} />}
      <Lines title="What changes" lines={changes} />
      <Lines title="Already monitored" lines={lines.filter(isSame)} />
      <Lines title="Named twice" lines={repeated.map((item) => ({ ...item, action: 'repeated' as const }))} />
    </Stack>
  )
}

function Lines({ title, lines }: { title: string; lines: PreviewLine[] }) {
  if (!lines.length) return null
  return (
    <div>
      <Title order={3} size="h5" mb={4}>
        {title}
      </Title>
      <ul className={classes.lines} aria-label={title}>
        {lines.map(({ line, type, value, action }) => (
          <li key={`${line} ${type} ${value}`} className={classes.line}>
            <span className={classes.written}>
              {line !== null && `Line ${line}: `}
              {type} <strong>{value}</strong>
            </span>
            <Text size="sm" c="dimmed">
              {words[action]}
            </Text>
          </li>
        ))}
      </ul>
    </div>
  )
}

type UnknownLinesProps = {
  lines: UnknownLine[]
  choices: ReadonlyMap<number, LineChoice>
  onChoose: (choice: LineChoice) => void
}

const shown = 100

function UnknownLines({ lines, choices, onChoose }: UnknownLinesProps) {
  return (
    <div>
      <Title order={3} size="h5">
        Lines with unknown names
      </Title>
      <Text size="sm" c="dimmed" mb={4}>
        Choose what was meant. A name that you keep is monitored as soon as it is in the knowledge base.
      </Text>
      <ul className={classes.lines} aria-label="Lines with unknown names">
        {lines.slice(0, shown).map((line) => (
          <Unknown key={`${line.line} ${line.value}`} line={line} choice={choices.get(line.line)} onChoose={onChoose} />
        ))}
      </ul>
      {lines.length > shown && (
        <Text size="sm" c="dimmed" mt={4}>
          And {lines.length - shown} more.
        </Text>
      )}
    </div>
  )
}

type UnknownProps = { line: UnknownLine; choice: LineChoice | undefined; onChoose: (choice: LineChoice) => void }

function Unknown({ line: { line, type, value, reason, nearest }, choice, onChoose }: UnknownProps) {
  const [text, setText] = useState(choice?.value ?? value)
  return (
    <li className={classes.line}>
      <div className={classes.written}>
        Line {line}: {type} <strong>{value}</strong>
        <Text size="sm" c="dimmed">
          {reason}
        </Text>
      </div>
      <Group gap={6}>
        {nearest.map((name) => (
          <Button key={name} size="compact-sm" onClick={() => onChoose({ line, value: name })}>
            {name}
          </Button>
        ))}
        <TextInput
          size="xs"
          aria-label={`Value of line ${line}`}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={({ key }) => key === 'Enter' && onChoose({ line, value: text })}
        />
        <Button size="compact-sm" disabled={text === value} onClick={() => onChoose({ line, value: text })}>
          Use
        </Button>
        <Button size="compact-sm" variant="subtle" onClick={() => onChoose({ line, skip: true })}>
          Leave out
        </Button>
      </Group>
    </li>
  )
}
