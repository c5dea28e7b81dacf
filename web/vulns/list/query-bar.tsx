import { ActionIcon, Combobox, Group, Text, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useRef, type RefObject, type SyntheticEvent } from 'react'
import { maxLength, tokenize, type Problem } from '../../../worker/domain/query/tokens'
import { boxExample } from '../../../worker/domain/query/examples'
import { HelpLink } from '../../ui/help-link'
import classes from './query-bar.module.css'
import { useQueryDraft } from './query-draft'

type Props = {
  text: string | undefined
  label: string
  onSearch: (text: string, isTyping: boolean) => void
}

/** Searches for words when typing pauses; completes a query and sends it on Enter. */
export function QueryBar({ text = '', label, onSearch }: Props) {
  const query = useQueryDraft(text, onSearch)
  const paint = useRef<HTMLDivElement>(null)
  const { draft, combobox, options, problem, choose, search } = query
  const noteCursor = ({ currentTarget }: SyntheticEvent<HTMLInputElement>) =>
    query.setCursor(currentTarget.selectionStart ?? 0)
  return (
    <div className={classes.bar}>
      <div className={classes.box}>
        <Combobox store={combobox} onOptionSubmit={choose} withinPortal={false}>
          <Combobox.Target withAriaAttributes withExpandedAttribute>
            <TextInput
              ref={query.input}
              type="search"
              className={classes.input}
              data-painted={!query.isWords || undefined}
              aria-label={label}
              aria-describedby={problem && 'query-problem'}
              error={problem !== undefined}
              placeholder={`Words, an id, or ${boxExample}`}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              value={draft}
              maxLength={maxLength}
              onChange={({ currentTarget: { value, selectionStart } }) =>
                query.type(value, selectionStart ?? value.length)
              }
              onClick={noteCursor}
              onKeyUp={noteCursor}
              onScroll={({ currentTarget }) => paint.current?.scrollTo(currentTarget.scrollLeft, 0)}
              onBlur={() => combobox.closeDropdown()}
              onKeyDown={query.onKeyDown}
            />
          </Combobox.Target>
          <Combobox.Dropdown hidden={options.length === 0}>
            <Combobox.Options aria-label="Completions" mah={260} className={classes.options}>
              {options.map(({ text: option, hint }) => (
                <Combobox.Option key={option} value={option}>
                  <span className={classes.option}>{option}</span>
                  <span className={classes.hint}>{hint}</span>
                </Combobox.Option>
              ))}
            </Combobox.Options>
          </Combobox.Dropdown>
        </Combobox>
        {!query.isWords && <QueryColours text={draft} paint={paint} />}
        <Group gap={2} className={classes.side}>
          <HelpLink topic="query" about="how to search" />
          <ActionIcon size={26} variant="subtle" aria-label="Search" disabled={!draft.trim() && !text} onClick={search}>
            <IconSearch size={16} aria-hidden />
          </ActionIcon>
        </Group>
      </div>
      {problem && <QueryProblem text={draft} problem={problem} />}
    </div>
  )
}

const around = 24

function QueryProblem({ text, problem: { message, from, to } }: { text: string; problem: Problem }) {
  const start = Math.max(0, from - around)
  const wrong = text.slice(from, Math.max(to, from + 1))
  return (
    <Text size="sm" id="query-problem" role="alert" className={classes.problem}>
      {sentence(message)}
      <code className={classes.place} aria-hidden>
        {start > 0 && '…'}
        {text.slice(start, from)}
        <mark>{wrong || ' '}</mark>
        {text.slice(from + wrong.length, from + wrong.length + around)}
      </code>
    </Text>
  )
}

const sentence = (message: string) => message.charAt(0).toUpperCase() + message.slice(1)

type Kind = 'field' | 'operator' | 'value' | 'keyword' | 'text' | 'plain'

function QueryColours({ text, paint }: { text: string; paint: RefObject<HTMLDivElement | null> }) {
  return (
    <div ref={paint} className={classes.paint} aria-hidden>
      {colourQuery(text).map(({ from, kind, piece }) => (
        <span key={from} className={classes[kind]}>
          {piece}
        </span>
      ))}
    </div>
  )
}

/** The joined pieces are the text; unreadable pieces are plain. */
export function colourQuery(text: string): { from: number; kind: Kind; piece: string }[] {
  const tokens = tokenize(text)
  if ('message' in tokens) return [{ from: 0, kind: 'plain', piece: text }]
  const pieces: { from: number; kind: Kind; piece: string }[] = []
  let end = 0
  const add = (from: number, to: number, kind: Kind) => {
    if (from < to) pieces.push({ from, kind, piece: text.slice(from, to) })
    end = to
  }
  for (const [at, token] of tokens.entries()) {
    add(end, token.from, 'plain')
    const isValue = tokens[at - 1]?.kind === 'operator'
    const isField = tokens[at + 1]?.kind === 'operator'
    if (token.kind === 'word') add(token.from, token.to, isValue ? 'value' : isField ? 'field' : wordKind(token.text))
    else if (token.kind === 'text') add(token.from, token.to, isValue ? 'value' : 'text')
    else add(token.from, token.to, 'operator')
  }
  add(end, text.length, 'plain')
  return pieces
}

const wordKind = (word: string): Kind => (/^(and|or|not)$/i.test(word) ? 'keyword' : 'plain')
