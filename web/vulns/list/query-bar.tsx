import { Button, Combobox, Group, Text, TextInput, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconCode } from '@tabler/icons-react'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { parseQuery } from '../../../worker/domain/query/parse'
import { maxLength } from '../../../worker/domain/query/tokens'
import { AppLink } from '../../ui/app-link'
import classes from './query-bar.module.css'
import { QueryProblem } from './query-problem'
import { useCompletion } from './use-completion'

type Props = { q: string | undefined; onSearch: (q: string) => void }

const settled_ms = 600

/** The query as text: completed as one types, sent on Enter, and marked where it cannot be read. */
export function QueryBar({ q = '', onSearch }: Props) {
  const [draft, setDraft] = useState(q)
  const [cursor, setCursor] = useState(q.length)
  const [settled] = useDebouncedValue(draft, settled_ms)
  const sent = useRef(q)
  const input = useRef<HTMLInputElement>(null)
  const caret = useRef<number>(undefined)
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const { options, apply } = useCompletion(draft, cursor, combobox.dropdownOpened)
  const { problem } = parseQuery(draft)

  // A pill that is taken away, a saved view or the back button changes the query too: then it wins over the draft.
  useEffect(() => {
    if (q === sent.current) return
    sent.current = q
    setDraft(q)
  }, [q])

  // Before the next key: the browser puts the caret at the end of a text that it is given.
  useLayoutEffect(() => {
    if (caret.current !== undefined) input.current?.setSelectionRange(caret.current, caret.current)
    caret.current = undefined
  })

  const type = (text: string, at: number) => {
    setDraft(text)
    setCursor(at)
    combobox.openDropdown()
    combobox.resetSelectedOption()
  }
  const choose = (option: string) => {
    const next = apply(option)
    type(next.text, next.cursor)
    caret.current = next.cursor
  }
  const search = () => {
    combobox.closeDropdown()
    if (problem) return
    sent.current = draft.trim()
    onSearch(sent.current)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Escape') return combobox.closeDropdown()
    if (event.key !== 'Enter' || (combobox.dropdownOpened && combobox.getSelectedOptionIndex() >= 0)) return
    event.preventDefault()
    search()
  }
  const isWrong = problem !== undefined && (settled === draft || draft === q)
  return (
    <div className={classes.bar}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Combobox store={combobox} onOptionSubmit={choose} withinPortal={false}>
          <Combobox.Target withAriaAttributes withExpandedAttribute>
            <TextInput
              ref={input}
              className={classes.input}
              aria-label="Query"
              aria-describedby={isWrong ? 'query-problem' : undefined}
              error={isWrong}
              placeholder="cvss3>=9 AND (vendor:apache OR kev) AND updated<=7d"
              leftSection={<IconCode size={16} aria-hidden />}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              value={draft}
              maxLength={maxLength}
              onChange={({ currentTarget }) =>
                type(currentTarget.value, currentTarget.selectionStart ?? currentTarget.value.length)
              }
              onClick={({ currentTarget }) => setCursor(currentTarget.selectionStart ?? 0)}
              onKeyUp={({ currentTarget }) => setCursor(currentTarget.selectionStart ?? 0)}
              onBlur={() => combobox.closeDropdown()}
              onKeyDown={onKeyDown}
            />
          </Combobox.Target>
          <Combobox.Dropdown hidden={options.length === 0}>
            <Combobox.Options aria-label="Completions" mah={260} className={classes.options}>
              {options.map(({ text, hint }) => (
                <Combobox.Option key={text} value={text}>
                  <span className={classes.option}>{text}</span>
                  <span className={classes.hint}>{hint}</span>
                </Combobox.Option>
              ))}
            </Combobox.Options>
          </Combobox.Dropdown>
        </Combobox>
        <Button variant="default" disabled={!draft.trim() && !q} onClick={search}>
          Search
        </Button>
      </Group>
      {isWrong && <QueryProblem text={draft} problem={problem} />}
      {!draft && (
        <Text size="xs" c="dimmed">
          Ask exactly: fields, AND, OR, NOT, parentheses and quoted words.{' '}
          <AppLink to="/help#query">How to ask</AppLink>
        </Text>
      )}
    </div>
  )
}
