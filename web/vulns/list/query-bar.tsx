import { Button, Combobox, Group, Text, TextInput } from '@mantine/core'
import { IconCode } from '@tabler/icons-react'
import { maxLength } from '../../../worker/domain/query/tokens'
import { AppLink } from '../../ui/app-link'
import classes from './query-bar.module.css'
import { useQueryDraft } from './query-draft'
import type { QueryDraft } from './query-draft'
import { QueryProblem } from './query-problem'

type Props = { q: string | undefined; onSearch: (q: string) => void }

/** Completes the query while the user types, sends it on Enter and marks the place that cannot be read. */
export function QueryBar({ q = '', onSearch }: Props) {
  const query = useQueryDraft(q, onSearch)
  const { draft, combobox, options, problem, choose, search } = query
  return (
    <div className={classes.bar}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Combobox store={combobox} onOptionSubmit={choose} withinPortal={false}>
          <Combobox.Target withAriaAttributes withExpandedAttribute>
            <TextInput {...fieldProps(query)} />
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
      {problem && <QueryProblem text={draft} problem={problem} />}
      {!draft && (
        <Text size="xs" c="dimmed">
          Ask exactly: fields, AND, OR, NOT, parentheses and quoted words.{' '}
          <AppLink to="/help#query">How to ask</AppLink>
        </Text>
      )}
    </div>
  )
}

// Props instead of a component, as the list of completions needs the field itself as its child.
const fieldProps = ({ draft, input, combobox, problem, type, setCursor, onKeyDown }: QueryDraft) => ({
  ref: input,
  className: classes.input,
  'aria-label': 'Query',
  'aria-describedby': problem && 'query-problem',
  error: problem !== undefined,
  placeholder: 'cvss3>=9 AND (vendor:apache OR kev) AND updated<=7d',
  leftSection: <IconCode size={16} aria-hidden />,
  autoComplete: 'off',
  autoCapitalize: 'off',
  spellCheck: false,
  value: draft,
  maxLength,
  onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
    type(currentTarget.value, currentTarget.selectionStart ?? currentTarget.value.length),
  onClick: ({ currentTarget }: { currentTarget: HTMLInputElement }) => setCursor(currentTarget.selectionStart ?? 0),
  onKeyUp: ({ currentTarget }: { currentTarget: HTMLInputElement }) => setCursor(currentTarget.selectionStart ?? 0),
  onBlur: () => combobox.closeDropdown(),
  onKeyDown,
})
