import { Code, Group, Text } from '@mantine/core'
import { Fragment } from 'react'
import { listSpoken } from '../../../worker/domain/query/spoken'
import { splitWords } from '../../../worker/domain/query/words'
import { AppLink } from '../../ui/app-link'

/** What a search finds beside its words, and how to search for these alone. */
export function SearchHints({ search = '' }: { search?: string | undefined }) {
  const spoken = listSpoken(search)
  if (!spoken.length) return null
  const exact = splitWords(search).map((word) => `"${word}"`)
  return (
    <Group gap={6} role="note" aria-label="What the search finds as well">
      <Text size="sm" c="dimmed">
        {spoken.map(({ words, others }, at) => (
          <Fragment key={words}>
            {at > 0 && '; '}
            <Code>{words}</Code> also finds {others.join(', ')}
          </Fragment>
        ))}
      </Text>
      <AppLink to={`/vulns?${new URLSearchParams({ q: exact.join(' ') })}`} fz="sm">
        Only what is typed
      </AppLink>
    </Group>
  )
}
