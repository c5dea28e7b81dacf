import { Button, Menu, Text, Code, Group, Modal, Stack, Switch, TextInput, ActionIcon } from '@mantine/core'
import { IconBookmark, IconTrash } from '@tabler/icons-react'
import { useQuery, useMutation } from '@tanstack/react-query'
import { Fragment, useState, type FormEvent } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { createView, type ViewRow } from '../../worker/views/contract'
import { viewsQuery, createViewMutation, updateViewMutation, removeViewMutation } from './api'
import { useForm } from '@mantine/form'
import { formRules } from '../lib/form-rules'
import { useSaving } from '../lib/saving'
import { ConfirmDialog } from '../ui/confirm-dialog'
import { useFocusBack } from '../ui/focus-back'
import { FormDialog } from '../ui/form-dialog'
import { showUndo } from '../ui/undo-notice'
import { WriteButton, WriteItem } from '../session/write-button'
import { useReadOnly } from '../session/known-org'

export function ViewMenu() {
  const { pathname, search } = useLocation()
  const [open, setOpen] = useState<'save' | 'manage' | null>(null)
  const { data: views = [], error, refetch } = useQuery(viewsQuery())
  const query = withoutPage(search)
  const current = views.find((view) => withoutPage(`?${view.query}`) === query)
  const mine = views.filter(({ is_own }) => is_own)
  const groups = [
    ['My views', mine],
    ['Shared with me', views.filter(({ is_own }) => !is_own)],
  ] as const
  return (
    <>
      <Menu withinPortal={false} width={280}>
        <Menu.Target>
          <Button maw={240} leftSection={<IconBookmark size={16} aria-hidden />}>
            {current?.name ?? 'Views'}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {error && (
            <Menu.Item closeMenuOnClick={false} onClick={() => void refetch()}>
              The views could not be loaded: retry
            </Menu.Item>
          )}
          {views.length === 0 && !error && <Menu.Label>No saved views yet</Menu.Label>}
          {groups.map(([label, members]) => (
            <Fragment key={label}>
              {members.length > 0 && <Menu.Label>{label}</Menu.Label>}
              {members.map((view) => (
                <ViewItem key={view.id} view={view} pathname={pathname} isCurrent={view === current} />
              ))}
            </Fragment>
          ))}
          <Menu.Divider />
          <WriteItem onClick={() => setOpen('save')}>Save this view…</WriteItem>
          {mine.length > 0 && <Menu.Item onClick={() => setOpen('manage')}>Manage my views…</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
      {open === 'save' && <SaveViewDialog query={query} onClose={() => setOpen(null)} />}
      {open === 'manage' && <ViewsDialog views={mine} query={query} onClose={() => setOpen(null)} />}
    </>
  )
}

type ItemProps = { view: ViewRow; pathname: string; isCurrent: boolean }

function ViewItem({ view, pathname, isCurrent }: ItemProps) {
  const note = view.is_own ? (view.is_shared ? 'shared' : undefined) : view.owner
  return (
    <Menu.Item
      component={Link}
      to={`${pathname}?${view.query}`}
      aria-current={isCurrent || undefined}
      fw={isCurrent ? 600 : undefined}
      rightSection={
        note && (
          <Text size="xs" c="dimmed">
            {note}
          </Text>
        )
      }
    >
      {view.name}
    </Menu.Item>
  )
}

function withoutPage(search: string) {
  const params = new URLSearchParams(search)
  params.delete('page')
  return params.toString()
}

function SaveViewDialog({ query, onClose }: { query: string; onClose: () => void }) {
  const form = useForm({ initialValues: { name: '', query, is_shared: false }, validate: formRules(createView) })
  const { isPending, save } = useSaving(createViewMutation, onClose, form)
  return (
    <FormDialog title="Save this view" isPending={isPending} onSubmit={form.onSubmit(save)} onClose={onClose}>
      <TextInput label="Name" data-autofocus maxLength={80} {...form.getInputProps('name')} />
      <Switch label="Share it with the organization" {...form.getInputProps('is_shared', { type: 'checkbox' })} />
      <Text size="sm" c="dimmed" component="div">
        {query ? <Code block>{readable(query)}</Code> : 'All vulnerabilities, without a filter'}
      </Text>
    </FormDialog>
  )
}

const readable = (query: string) =>
  [...new URLSearchParams(query)].map(([name, value]) => `${name} = ${value}`).join('\n')

type Props = { views: ViewRow[]; query: string; onClose: () => void }

function ViewsDialog({ views, query, onClose }: Props) {
  useFocusBack()
  const [removed, setRemoved] = useState<ViewRow>()
  return (
    // One press of Escape closes one dialog.
    <Modal opened onClose={onClose} closeOnEscape={!removed} title="My views" size="lg">
      <Stack>
        {views.length === 0 && <Text size="sm">You have no saved views.</Text>}
        {views.map((view) => (
          <ViewLine key={view.id} view={view} query={query} onRemove={() => setRemoved(view)} />
        ))}
      </Stack>
      {removed && (
        <ConfirmDialog
          title={`Remove ${removed.name}?`}
          action="Remove"
          change={removeViewMutation}
          given={removed.id}
          onClose={() => setRemoved(undefined)}
        >
          It cannot be brought back. Its feed ends with it, and alerts that go by it are no longer limited to what it
          shows.
        </ConfirmDialog>
      )}
    </Modal>
  )
}

type LineProps = { view: ViewRow; query: string; onRemove: () => void }

function ViewLine({ view: { id, name, is_shared, query: saved }, query, onRemove }: LineProps) {
  const change = useMutation(updateViewMutation)
  const showCurrent = () =>
    change.mutate(
      { id, query },
      { onSuccess: () => showUndo(`${name} shows other filters now`, () => change.mutate({ id, query: saved })) },
    )
  return (
    <Group justify="space-between" gap="sm" role="group" aria-label={name}>
      <NameForm name={name} isPending={change.isPending} onRename={(text) => change.mutate({ id, name: text })} />
      <Switch
        size="sm"
        label="Shared"
        checked={is_shared}
        disabled={change.isPending}
        {...useReadOnly()}
        onChange={({ currentTarget }) => change.mutate({ id, is_shared: currentTarget.checked })}
      />
      <WriteButton size="compact-sm" disabled={saved === query} loading={change.isPending} onClick={showCurrent}>
        Use the current filters
      </WriteButton>
      <ActionIcon variant="subtle" color="red.9" aria-label={`Remove ${name}`} onClick={onRemove}>
        <IconTrash size={16} />
      </ActionIcon>
    </Group>
  )
}

type NameProps = { name: string; isPending: boolean; onRename: (name: string) => void }

function NameForm({ name, isPending, onRename }: NameProps) {
  const [text, setText] = useState(name)
  const isOther = text.trim() !== name && text.trim() !== ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isOther) onRename(text.trim())
  }
  return (
    <form onSubmit={submit} style={{ flex: '1 1 220px' }}>
      <Group gap={6} wrap="nowrap">
        <TextInput
          size="xs"
          flex={1}
          aria-label={`Name of ${name}`}
          maxLength={80}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        {isOther && (
          <WriteButton type="submit" size="compact-sm" loading={isPending}>
            Rename
          </WriteButton>
        )}
      </Group>
    </form>
  )
}
