import '@mantine/core/styles/Alert.css'
import { Alert, Button, Stack, Text, TextInput } from '@mantine/core'
import { IconAlertCircle, IconFileUpload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { DragEvent } from 'react'
import { sendInventoryMutation } from './api'
import { ChangeCard } from './change-card'
import classes from './inventories.module.css'

const maxBytes = 20_000_000
const formats =
  'CycloneDX, SPDX, or a lock file of npm, pnpm, pip, Go, Cargo, Composer, Bundler, Maven or Debian; up to 20 MB'

/** `name`: the inventory that the document replaces. */
export function DropZone({ name: fixed }: { name?: string }) {
  const [file, setFile] = useState<File>()
  const [name, setName] = useState(fixed ?? '')
  const sending = useMutation(sendInventoryMutation)

  const choose = (chosen: File | undefined) => {
    if (!chosen) return
    sending.reset()
    setFile(chosen)
    if (!fixed) setName(toName(chosen.name))
  }
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
          onSend={() => sending.mutate({ name: name.trim(), file })}
        />
      )}
      {problem && (
        <Alert
          color="red"
          icon={<IconAlertCircle size={18} aria-hidden />}
          title="This document was not accepted"
          role="alert"
        >
          {problem}
        </Alert>
      )}
      {sending.data && <ChangeCard change={sending.data} />}
    </Stack>
  )
}

type DropProps = { file: File | undefined; onChoose: (file: File | undefined) => void }

function DropArea({ file, onChoose }: DropProps) {
  const [isOver, setIsOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    onChoose(event.dataTransfer.files[0])
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
      <Text fw={600}>{file ? file.name : 'Drop a bill of materials or a lock file here'}</Text>
      <Text size="sm" c="dimmed" id="inventory-formats">
        {formats}
      </Text>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="Document"
        onChange={(event) => onChoose(event.currentTarget.files?.[0])}
      />
      <Button variant="default" size="xs" aria-describedby="inventory-formats" onClick={() => input.current?.click()}>
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
  onSend: () => void
}

function SendForm({ name, onName, isPending, isTooLarge, onSend }: SendProps) {
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
          description="An inventory with this name is replaced"
          required
          maxLength={100}
          value={name}
          onChange={(event) => onName(event.currentTarget.value)}
        />
      )}
      <Button type="submit" loading={isPending} disabled={!name.trim() || isTooLarge}>
        Send
      </Button>
    </form>
  )
}

/** `shop-1.0.cdx.json.gz` is the inventory shop-1.0. */
const toName = (file: string) =>
  file
    .replace(/\.(?:gz|json|xml|txt|spdx|cdx|bom|lock|yaml)(?=\.|$)/gi, '')
    .replace(/[/\\]/g, '-')
    .slice(0, 100)
