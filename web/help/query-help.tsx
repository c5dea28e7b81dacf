import { Code, Table } from '@mantine/core'
import { queryExamples } from '../../worker/domain/query/examples'
import { getDefinition, defaultOperator, offeredFields } from '../../worker/domain/query/fields'
import type { FieldKind } from '../../worker/domain/query/fields'
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

export function QueryHelp() {
  return (
    <>
      <p>
        A query in the list of <AppLink to="/vulns">vulnerabilities</AppLink> or in the search combines conditions with
        AND, OR, NOT (or a minus) and parentheses. NOT binds closest, then AND, then OR. Put names and words with spaces
        in quotes. <Code>updated&lt;=7d</Code> means at most 7 days ago. A text matches from the beginning of a word. A
        list that is too long to be read at once says how far it looked. The same query works in the API as{' '}
        <Code>q</Code>.
      </p>
      <Table withRowBorders={false} verticalSpacing={2} mb="sm">
        <Table.Tbody>
          {queryExamples.map(([query, meaning]) => (
            <Table.Tr key={query}>
              <Table.Td>
                <AppLink to={`/vulns?${new URLSearchParams({ q: query })}`}>
                  <Code>{query}</Code>
                </AppLink>
              </Table.Td>
              <Table.Td>{meaning}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Table.ScrollContainer minWidth={340}>
        <Table verticalSpacing={2} fz="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Field</Table.Th>
              <Table.Th>Operators</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {offeredFields.map((field) => {
              const { kind, label, choices } = getDefinition(field)
              return (
                <Table.Tr key={field}>
                  <Table.Td>
                    <Code>{field}</Code> {label}
                  </Table.Td>
                  <Table.Td>
                    {choices?.join(', ') ?? (defaultOperator(field) === 'like' ? signOfLikeness : signs[kind])}
                  </Table.Td>
                </Table.Tr>
              )
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </>
  )
}
