import { Button, Menu, Text, Code, Group, Modal, Stack, Switch, TextInput, ActionIcon } from '@mantine/core'
import { IconBookmark, IconTrash } from '@tabler/icons-react'
import { useQuery, useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { createView } from '../../worker/views/contract'
import type { ViewRow } from '../../worker/views/contract'
import { viewsQuery, createViewMutation, updateViewMutation, removeViewMutation } from './api'
import { useForm } from '@mantine/form'
import { formRules } from '../lib/form-rules'
import { useSaving } from '../lib/saving'
import { useFocusBack } from '../ui/focus-back'
import { FormDialog } from '../ui/form-dialog'

export function ViewMenu() {
  const { pathname, search } = useLocation()
  const [open, setOpen] = useState<'save' | 'manage' | null>(null)
  const { data: views = [], error, refetch } = useQuery(viewsQuery())
  const query = withoutPage(search)
  const current = views.find((view) => withoutPage(`?${view.query}`) === query)
  const own = views.filter(({ is_own }) => is_own)
  const shared = views.filter(({ is_own }) => !is_own)
  return (
    <>
      <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false} width={280}>
        <Menu.Target>
          <Button variant="default" leftSection={<IconBookmark size={16} aria-hidden />}>
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
          {own.length > 0 && <Menu.Label>My views</Menu.Label>}
          {own.map((view) => (
            <ViewItem key={view.id} view={view} pathname={pathname} isCurrent={view === current} />
          ))}
          {shared.length > 0 && <Menu.Label>Shared with me</Menu.Label>}
          {shared.map((view) => (
            <ViewItem key={view.id} view={view} pathname={pathname} isCurrent={view === current} />
          ))}
          <Menu.Divider />
          <Menu.Item onClick={() => setOpen('save')}>Save this view…</Menu.Item>
          {own.length > 0 && <Menu.Item onClick={() => setOpen('manage')}>Manage my views…</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
      {open === 'save' && <SaveViewDialog query={query} onClose={() => setOpen(null)} />}
      {open === 'manage' && <ViewsDialog views={own} query={query} onClose={() => setOpen(null)} />}
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
  return (
    <Modal opened onClose={onClose} title="My views" size="lg" centered>
      <Stack gap="sm">
        {views.length === 0 && <Text size="sm">You have no saved views.</Text>}
        {views.map((view) => (
          <ViewLine key={view.id} view={view} query={query} />
        ))}
      </Stack>
    </Modal>
  )
}

function ViewLine({ view: { id, name, is_shared, query: saved }, query }: { view: ViewRow; query: string }) {
  const change = useMutation(updateViewMutation)
  const remove = useMutation(removeViewMutation)
  return (
    <Group justify="space-between" gap="sm" role="group" aria-label={name}>
      <Text fw={600} size="sm" flex={1} miw={120} style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Text>
      <Switch
        size="sm"
        label="Shared"
        checked={is_shared}
        disabled={change.isPending}
        onChange={({ currentTarget }) => change.mutate({ id, is_shared: currentTarget.checked })}
      />
      <Button
        size="compact-sm"
        variant="default"
        disabled={saved === query}
        loading={change.isPending}
        onClick={() => change.mutate({ id, query })}
      >
        Use the current filters
      </Button>
      <ActionIcon
        variant="subtle"
        color="red.9"
        aria-label={`Remove ${name}`}
        loading={remove.isPending}
        onClick={() => remove.mutate(id)}
      >
        <IconTrash size={16} />
      </ActionIcon>
    </Group>
  )
}
