import { Button, Drawer, Group, Kbd, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, type MouseEvent } from 'react'
import { openQuery } from '../../../worker/domain/decisions/status'
import type { VulnQuery, VulnQueryInput, VulnRow } from '../../../worker/vulns/contract'
import { useReadOnly } from '../../session/known-org'
import { FailedLine } from '../../ui/failed-line'
import { focusRow, useKeys } from '../../ui/keys'
import { vulnQuery } from '../api'
import { marksQuery } from '../seen-marks'
import classes from './inbox.module.css'
import { MarksContext } from './marks'
import { Preview } from './preview'
import { QuickDialogs } from '../quick-dialogs'
import { useInboxPlace, useOpenRow } from './use-inbox-place'
import { useTriage, type Triage } from './use-triage'
import { VulnPages, type ListedPage } from './vuln-pages'
import { WriteButton } from '../../session/write-button'

type Props = {
  vulns: UseQueryResult<ListedPage>
  filters: VulnQuery
  onChange: (patch: VulnQueryInput) => void
}

export function Inbox({ vulns, ...props }: Props) {
  const listed = useMemo(() => vulns.data?.results ?? [], [vulns.data])
  const isWide = useMediaQuery('(min-width: 75em)', true, { getInitialValueInEffect: false })
  const [openId, open] = useOpenRow(useInboxPlace(), isWide)
  const hasMore = (vulns.data?.count ?? 0) > listed.length
  const isOpenOnly = props.filters.q?.includes(openQuery) ?? false
  const triage = useTriage({ listed, hasMore, isOpenOnly, openId, open })
  const { rows } = triage
  const { marks, shown } = useMarks(listed)
  const { list, noteFocus } = useCurrentRow(openId, rows.length > 0)
  useTriageKeys(triage)
  useNextRows(rows, openId)

  // A click shows the row here; its link leads to the whole page.
  const choose = (event: MouseEvent<HTMLElement>) => {
    const line = findPlainLine(event)
    if (!line) return
    event.stopPropagation()
    focusRow(line)
    open(Number(line.dataset['id']))
  }
  const bar = <TriageBar triage={triage} label="Decide on what the pane shows" />
  return (
    <MarksContext value={marks}>
      <div className={classes.split}>
        <div
          ref={list}
          className={classes.list}
          onClickCapture={choose}
          onFocus={({ target }) => {
            noteFocus(target)
            if (isWide && target instanceof HTMLTableRowElement) open(Number(target.dataset['id']))
          }}
          onBlur={() => noteFocus(null)}
        >
          <FailedLine text="Unread, assigned and snoozed vulnerabilities could not be loaded." query={shown} />
          {!isWide && triage.hasSelection && <TriageBar triage={triage} label="Decide on the selected rows" />}
          <VulnPages vulns={withRows(vulns, rows)} look="inbox" {...props} />
        </div>
        {isWide && (
          <aside className={classes.pane} aria-label="Preview" tabIndex={0}>
            <Preview id={openId} bar={bar} />
          </aside>
        )}
      </div>
      {!isWide && (
        <Drawer
          opened={openId !== undefined}
          onClose={() => open(undefined)}
          position="bottom"
          size="88%"
          title="Preview"
        >
          <Preview id={openId} bar={bar} />
        </Drawer>
      )}
      <QuickDialogs asking={triage.asking} onChange={triage.change} onClose={() => triage.setAsking(null)} />
    </MarksContext>
  )
}

function useMarks(rows: VulnRow[]) {
  const shown = useQuery(marksQuery(rows.map(({ id }) => id)))
  const { data } = shown
  const marks = useMemo(() => new Map(data?.results.map((mark) => [mark.id, mark])), [data])
  return { marks, shown }
}

function withRows({ data, ...vulns }: Props['vulns'], results: VulnRow[]) {
  const gone = (data?.results.length ?? 0) - results.length
  return { ...vulns, data: data && { ...data, results, count: data.count - gone } }
}

/** The next rows are there when somebody goes on from a row that they have looked at. */
function useNextRows(rows: VulnRow[], openId: number | undefined) {
  const client = useQueryClient()
  useEffect(() => {
    const at = rows.findIndex(({ id }) => id === openId)
    if (at < 0) return undefined
    const next = rows.slice(at + 1, at + 1 + nextRows)
    const timer = setTimeout(() => next.forEach(({ id }) => void client.prefetchQuery(vulnQuery(id))), looked_ms)
    return () => clearTimeout(timer)
  }, [client, rows, openId])
}

const nextRows = 3
const looked_ms = 400

/** Marks the row that the pane shows, wherever the focus is; focuses a row that came with the address. */
function useCurrentRow(openId: number | undefined, hasRows: boolean) {
  const list = useRef<HTMLDivElement>(null)
  const find = (id: number | undefined) => list.current?.querySelector<HTMLElement>(`tr[data-id="${id}"]`)
  const focused = useRef<Element>(null)
  useEffect(() => {
    const line = find(openId)
    line?.setAttribute('aria-current', 'true')
    // After a change and its undo, the list loses the focused row and gets it back.
    if (document.activeElement === document.body && focused.current?.isConnected === false) focusRow(line ?? undefined)
    return () => line?.removeAttribute('aria-current')
  })
  useEffect(() => {
    const isFree = document.activeElement === document.body || document.activeElement?.tagName === 'H1'
    if (hasRows && isFree) focusRow(find(openId) ?? undefined)
    // Only when the rows come.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [hasRows])
  const noteFocus = (element: Element | null) => {
    focused.current = element
  }
  return { list, noteFocus }
}

function useTriageKeys({ change, setAsking, undo, markUnread }: Triage) {
  const { disabled: isReadOnly } = useReadOnly()
  const keys = [
    { key: 'e', text: 'done: mark as fixed', act: () => change({ kind: 'status', status: 'fixed' }) },
    { key: 'n', text: 'not interesting', act: () => change({ kind: 'status', status: 'not_interesting' }) },
    { key: 'i', text: 'in progress', act: () => change({ kind: 'status', status: 'in_progress' }) },
    { key: 's', text: 'snooze', act: () => setAsking('snooze') },
    { key: 'a', text: 'assign to a member', act: () => setAsking('assign') },
    { key: 'u', text: 'undo', act: undo },
    { key: 'U', shown: 'Shift+U', text: 'mark as unread', act: markUnread },
  ]
  useKeys(isReadOnly ? [] : keys)
}

/** The row of a click, unless it hit a link, button or box, or selected text. */
function findPlainLine({ target, metaKey, ctrlKey, shiftKey }: MouseEvent<HTMLElement>) {
  if (!(target instanceof Element) || metaKey || ctrlKey || shiftKey || getSelection()?.toString()) return undefined
  return target.closest('a, button, input, label') ? undefined : target.closest<HTMLElement>('tbody tr[data-id]')
}

type TriageBarProps = { triage: Triage; label: string }

function TriageBar({ triage, label }: TriageBarProps) {
  const { targets, change, setAsking, undo } = triage
  const actions: [key: string, text: string, act: () => void][] = [
    ['e', 'Done', () => change({ kind: 'status', status: 'fixed' })],
    ['i', 'In progress', () => change({ kind: 'status', status: 'in_progress' })],
    ['s', 'Snooze', () => setAsking('snooze')],
    ['a', 'Assign', () => setAsking('assign')],
  ]
  return (
    <Group gap={3} role="group" aria-label={label}>
      {actions.map(([key, text, act]) => (
        <WriteButton
          key={key}
          size="compact-sm"
          disabled={targets.length === 0}
          px={4}
          rightSection={
            <Kbd size="xs" visibleFrom="md">
              {key}
            </Kbd>
          }
          onClick={act}
        >
          {text}
        </WriteButton>
      ))}
      <Button
        size="compact-sm"
        variant="subtle"
        px={4}
        rightSection={
          <Kbd size="xs" visibleFrom="md">
            u
          </Kbd>
        }
        onClick={undo}
      >
        Undo
      </Button>
      {targets.length > 1 && <Text size="sm">{targets.length} selected</Text>}
    </Group>
  )
}
