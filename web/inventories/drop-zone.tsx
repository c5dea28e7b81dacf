import '@mantine/core/styles/Alert.css'
import '@mantine/core/styles/List.css'
import { Alert, Button, List, Stack, Text, TextInput } from '@mantine/core'
import { IconAlertCircle, IconFileUpload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState, type DragEvent, type ReactNode } from 'react'
import type { PutAnswer } from '../../worker/inventories/contract'
import { likenessWords } from '../../worker/domain/names/look-alikes'
import { ApiError } from '../lib/call'
import { sendInventoryMutation } from './api'
import { nameInDocument, nameInFile, toName } from './document-name'
import classes from './inventories.module.css'
import { useReadOnly } from '../session/known-org'
import { formatCount } from '../lib/format'
import { AppLink, VulnLink } from '../ui/app-link'
import { Card } from '../ui/card'
import { Fact, Facts } from '../ui/facts'
import { inventoryPath } from './open-counts'

const maxBytes = 20_000_000
const formats =
  'CycloneDX, SPDX, or a lock file of npm, pnpm, yarn, pip, Pipenv, Poetry, uv, PDM, Go, Cargo, Composer, Bundler, Maven, Gradle, NuGet, Swift or Debian; up to 20 MB'

/** `name`: the inventory that the document replaces. */
export function DropZone({ name: fixed }: { name?: string }) {
  const [file, setFile] = useState<File>()
  const [name, setName] = useState(fixed ?? '')
  const sending = useMutation(sendInventoryMutation)

  const choose = (chosen: File | undefined) => {
    if (!chosen) return
    sending.reset()
    setFile(chosen)
    if (fixed || chosen.size > maxBytes) return
    const guess = nameInFile(chosen.name)
    setName(guess)
    void chosen.text().then((text) => {
      const found = toName(nameInDocument(text))
      if (found) setName((current) => (current === guess ? found : current))
    })
  }
  const send = (mayReplace: boolean) => {
    if (!file) return
    void sending
      .mutateAsync({ name: name.trim(), file, mayReplace: mayReplace || fixed !== undefined })
      .then((change) => change && setFile(undefined))
      .catch(() => undefined)
  }
  const mustAsk = sending.data === null && sending.variables.name === name.trim()
  const problem = file && file.size > maxBytes ? 'The document is larger than 20 MB' : sending.error?.message
  return (
    <Stack>
      <DropArea file={file} onChoose={choose} />
      {file && (
        <SendForm
          name={name}
          onName={fixed ? undefined : setName}
          isPending={sending.isPending}
          isTooLarge={file.size > maxBytes}
          mustAsk={mustAsk}
          onSend={() => send(mustAsk)}
        />
      )}
      {problem && (
        <Alert
          color="red"
          icon={<IconAlertCircle size={18} aria-hidden />}
          title={isUnsent(sending.error) ? 'The document could not be sent' : 'This document was not accepted'}
          role="alert"
        >
          {problem}
        </Alert>
      )}
      {sending.data && <ChangeCard change={sending.data} />}
    </Stack>
  )
}

/** Without a word on the document itself. */
const isUnsent = (error: Error | null) =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500)

type DropProps = { file: File | undefined; onChoose: (file: File | undefined) => void }

function DropArea({ file, onChoose }: DropProps) {
  const [isOver, setIsOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const readOnly = useReadOnly()
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    if (!readOnly.disabled) onChoose(event.dataTransfer.files[0])
  }
  const over = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(true)
  }
  return (
    <div
      className={classes.drop}
      data-over={isOver || undefined}
      onDragOver={over}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <IconFileUpload size={28} stroke={1.5} aria-hidden />
      <Text fw={600}>{readOnly.title ?? (file ? file.name : 'Drop a bill of materials or a lock file here')}</Text>
      <Text size="sm" c="dimmed" id="inventory-formats">
        {formats}
      </Text>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="Document"
        onChange={(event) => {
          onChoose(event.currentTarget.files?.[0])
          event.currentTarget.value = ''
        }}
      />
      <Button {...readOnly} size="xs" aria-describedby="inventory-formats" onClick={() => input.current?.click()}>
        {file ? 'Choose another file' : 'Choose a file'}
      </Button>
    </div>
  )
}

type SendProps = {
  name: string
  onName: ((name: string) => void) | undefined
  isPending: boolean
  isTooLarge: boolean
  /** There is one with this name. */
  mustAsk: boolean
  onSend: () => void
}

function SendForm({ name, onName, isPending, isTooLarge, mustAsk, onSend }: SendProps) {
  return (
    <form
      className={classes.send}
      onSubmit={(event) => {
        event.preventDefault()
        onSend()
      }}
    >
      {onName && (
        <TextInput
          label="Name of the inventory"
          description="The name in the document, if there is one"
          error={
            mustAsk && `There is an inventory ${name.trim()} already. Replace what it holds, or choose another name.`
          }
          required
          maxLength={100}
          value={name}
          onChange={(event) => onName(event.currentTarget.value)}
        />
      )}
      <Button variant="filled" type="submit" loading={isPending} disabled={!name.trim() || isTooLarge}>
        {mustAsk ? 'Replace it' : 'Send'}
      </Button>
    </form>
  )
}

const shown = 10

export function ChangeCard({ change }: { change: PutAnswer }) {
  const { inventory, is_new, components, findings } = change
  const path = inventoryPath(inventory.name)
  return (
    <Card
      title={is_new ? `${inventory.name} is added` : `${inventory.name} is replaced`}
      aside={<AppLink to={path}>Open it</AppLink>}
    >
      <div role="status">
        <Facts>
          <Fact label="Components added">
            <AppLink to={`${path}?tab=components`}>{formatCount(components.added.count)}</AppLink>
          </Fact>
          <Fact label="Removed">{formatCount(components.removed.count)}</Fact>
          <Fact label="Not matched">
            <AppLink to={`${path}?tab=components&matched=false`}>{formatCount(components.unmatched.count)}</AppLink>
          </Fact>
          {inventory.pending_count > 0 && (
            <Fact label="Still to compare">
              <AppLink to={path}>{formatCount(inventory.pending_count)}</AppLink>
            </Fact>
          )}
          <Fact label={inventory.pending_count > 0 ? 'New findings so far' : 'New findings'}>
            <AppLink to={`${path}?tab=findings&sorted_by=-newest`}>{formatCount(findings.new.count)}</AppLink>
          </Fact>
          <Fact label="Findings gone">{formatCount(findings.gone.count)}</Fact>
        </Facts>
      </div>
      <FirstRows
        title="Names that look like one that you monitor"
        count={components.look_alikes.count}
        rows={components.look_alikes.first.map(
          ({ name, version, of, likeness }) => `${name} ${version ?? ''} looks like ${of}: ${likenessWords[likeness]}`,
        )}
        note="Attackers publish such names for whoever mistypes; most of them are innocent."
      />
      <FirstRows title="New" count={findings.new.count} rows={listFindings(findings.new)} />
      <FirstRows title="Gone" count={findings.gone.count} rows={listFindings(findings.gone)} />
    </Card>
  )
}

type FirstRowsProps = { title: string; count: number; rows: ReactNode[]; note?: string }

const FirstRows = ({ title, count, rows, note }: FirstRowsProps) =>
  count > 0 && (
    <>
      <Text size="sm" fw={600} mt="sm">
        {title}
      </Text>
      <List size="sm">
        {rows.slice(0, shown).map((row, at) => (
          <List.Item key={at}>{row}</List.Item>
        ))}
      </List>
      {count > shown && <Text size="sm">and {formatCount(count - shown)} more</Text>}
      {note && <Text size="sm">{note}</Text>}
    </>
  )

const listFindings = ({ first }: PutAnswer['findings']['new']) =>
  first.map(({ vuln_id, cveid, component, version, fixed_in }) => (
    <>
      <VulnLink id={vuln_id} cveid={cveid} /> in {component} {version}
      {fixed_in && `, fixed in ${fixed_in}`}
    </>
  ))
