import { Code, Table } from '@mantine/core'
import { queryExamples } from '../../worker/domain/query/examples'
import { getDefinition, defaultOperator, offeredFields, type FieldKind } from '../../worker/domain/query/fields'
import { Fragment } from 'react'
import { AppLink } from '../ui/app-link'

const signs: Record<FieldKind, string> = {
  text: ': or = equals, ~ contains, ~~ contains (case-sensitive)',
  number: '= > >= < <=, or a..b; EPSS, its percentile and the composite also as 50%',
  date: '= > >= < <= or a..b with a year, a month, a day, a time or an age: 2026, 24h, 7d, 2w, 3mo, 1y, today, yesterday',
  choice: ': or =',
  id: ': or =',
  key: ': or =',
  flag: 'alone, or with :false',
}

const signOfLikeness = ': or ~ contains, ~~ contains (case-sensitive), = equals'

const examples = queryExamples.map(([query, meaning]) => [
  <AppLink key="query" to={`/vulns?${new URLSearchParams({ q: query })}`}>
    <Code>{query}</Code>
  </AppLink>,
  meaning,
])

const fields = offeredFields.map((field) => {
  const { kind, label, choices } = getDefinition(field)
  return [
    <Fragment key="field">
      <Code>{field}</Code> {label}
    </Fragment>,
    choices?.join(', ') ?? (defaultOperator(field) === 'like' ? signOfLikeness : signs[kind]),
  ]
})

export const QueryHelp = () => (
  <>
    <p>
      A query in the list of <AppLink to="/vulns">vulnerabilities</AppLink> or in the search combines conditions with
      AND, OR, NOT (or a minus) and parentheses. NOT binds closest, then AND, then OR. Put names and words with spaces
      in quotes. <Code>updated&lt;=7d</Code> means at most 7 days ago. A text matches from the beginning of a word. A
      list that is too long to be read at once says how far it looked. The same query works in the API as <Code>q</Code>
      .
    </p>
    <Table withRowBorders={false} verticalSpacing={2} mb="sm" data={{ body: examples }} />
    <Table.ScrollContainer minWidth={340}>
      <Table verticalSpacing={2} fz="sm" data={{ head: ['Field', 'Operators'], body: fields }} />
    </Table.ScrollContainer>
  </>
)
