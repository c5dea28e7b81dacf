import '@mantine/core/styles/Alert.css'
import { Alert, Button, Stack, Text, TextInput } from '@mantine/core'
import { IconAlertCircle, IconFileUpload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { DragEvent } from 'react'
import { ApiError } from '../lib/call'
import { sendInventoryMutation } from './api'
import { ChangeCard } from './change-card'
import { nameInDocument, nameInFile, toName } from './document-name'
import classes from './inventories.module.css'
import { useReadOnly } from '../session/known-org'

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
    <Stack gap="sm">
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
      <Button
        {...readOnly}
        variant="default"
        size="xs"
        aria-describedby="inventory-formats"
        onClick={() => input.current?.click()}
      >
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
      <Button type="submit" loading={isPending} disabled={!name.trim() || isTooLarge}>
        {mustAsk ? 'Replace it' : 'Send'}
      </Button>
    </form>
  )
}
