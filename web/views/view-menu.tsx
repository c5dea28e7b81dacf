import { Button, Menu, Text } from '@mantine/core'
import { IconBookmark } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'react-router-dom'
import type { ViewRow } from '../../worker/views/contract'
import { viewsQuery } from './api'
import { SaveViewDialog } from './save-view-dialog'
import { ViewsDialog } from './views-dialog'

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
