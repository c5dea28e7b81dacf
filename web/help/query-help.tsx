import { Code, Table } from '@mantine/core'
import { getDefinition, defaultOperator, offeredFields } from '../../worker/domain/query/fields'
import type { FieldKind } from '../../worker/domain/query/fields'
import { AppLink } from '../ui/app-link'

const examples: [query: string, meaning: string][] = [
  ['kev', 'What CISA knows to be exploited'],
  ['cvss3>=9 AND NOT status:fixed', 'Critical, and your organization has not fixed it'],
  ['(vendor:apache OR vendor:nginx) epss>0.5', 'Words side by side must all hold: AND may be left out'],
  ['"remote code" published<=30d', 'These words side by side in it, published within the last 30 days'],
  ['monitored updated>=today', 'Concerns you, and changed today (UTC)'],
  ['cpe:"cpe:2.3:a:openssl:openssl:1.0.1f"', 'Affects this version: ranges are evaluated'],
]

const signs: Record<FieldKind, string> = {
  text: ': or = equals, ~ contains, ~~ contains and minds the case',
  number: '= > >= < <=',
  date: '= > >= < <= with a day, a time or an age: 24h, 7d, 2w, 3mo, 1y, today, yesterday',
  choice: ': or =',
  id: ': or =',
  key: ': or =',
  flag: 'alone, or with :false',
}

const signOfLikeness = ': or ~ contains, ~~ contains and minds the case, = equals'

export function QueryHelp() {
  return (
    <>
      <p>
        The query of the <AppLink to="/vulns">vulnerabilities</AppLink> and of the search is made of conditions with
        AND, OR, NOT and parentheses. NOT binds closest, then AND, then OR. Names and words with spaces stand in quotes.
        With an age, <Code>updated&lt;=7d</Code> means at most 7 days ago. A text that is searched for begins where a
        word begins. Of very common words the newest 350 hits are looked at. The same query works in the API as{' '}
        <Code>q</Code>.
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
              <Table.Th>Asked with</Table.Th>
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
