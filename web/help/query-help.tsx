import { Code, Table } from '@mantine/core'
import { getDefinition, defaultOperator, offeredFields } from '../../worker/domain/query/fields'
import type { FieldKind } from '../../worker/domain/query/fields'
import { AppLink } from '../ui/app-link'

const examples: [query: string, meaning: string][] = [
  ['kev', 'Listed by CISA as exploited'],
  ['cvss3>=9 AND NOT status:fixed', 'Critical, and not marked as fixed by your organization'],
  ['(vendor:apache OR vendor:nginx) epss>0.5', 'One of two vendors, with a high EPSS: AND can be left out'],
  ['"remote code" published<=30d', 'Contains this phrase, published within the last 30 days'],
  ['monitored updated>=today', 'Monitored by you, and changed today (UTC)'],
  ['due<=7d NOT status:fixed', 'CISA wants it done within 7 days, and you have not called it fixed'],
  ['cpe:"cpe:2.3:a:openssl:openssl:1.0.1f"', 'Affects this version, also within a range'],
]

const signs: Record<FieldKind, string> = {
  text: ': or = equals, ~ contains, ~~ contains (case-sensitive)',
  number: '= > >= < <=',
  date: '= > >= < <= with a day, a time or an age: 24h, 7d, 2w, 3mo, 1y, today, yesterday',
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
        AND, OR, NOT and parentheses. NOT binds closest, then AND, then OR. Put names and words with spaces in quotes.{' '}
        <Code>updated&lt;=7d</Code> means at most 7 days ago. A text matches from the beginning of a word. For very
        common words, only the newest 350 matches are searched. The same query works in the API as <Code>q</Code>.
      </p>
      <Table withRowBorders={false} verticalSpacing={2} mb="sm">
        <Table.Tbody>
          {examples.map(([query, meaning]) => (
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
