import { Button, Code, Group, Text } from '@mantine/core'
import { IconFilterPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import type { Query } from '../../../worker/domain/query/ast'
import { listSpoken } from '../../../worker/domain/query/spoken'
import { findSpokenFilters } from '../../../worker/domain/query/spoken-filters'
import { splitWords } from '../../../worker/domain/query/words'
import { AppLink } from '../../ui/app-link'
import { correctedQuery } from '../api'
import { listShownTerms, termLabel } from './query-terms'

/** `rest` is the search without the words of the filter. */
type Props = { search?: string | undefined; onFilter: (term: Query, rest: string) => void }

/** Words that a search finds beside its own, and the filters that they name. */
export function SearchHints({ search = '', onFilter }: Props) {
  const filters = findSpokenFilters(search).flatMap(({ q, ...spoken }) =>
    listShownTerms(q).map((term) => ({ ...spoken, term })),
  )
  return (
    <>
      {filters.length > 0 && (
        <Group gap={6} role="group" aria-label="Filters that the words name">
          {filters.map(({ words, term, rest }) => (
            <Button
              key={words}
              size="compact-sm"
              leftSection={<IconFilterPlus size={15} aria-hidden />}
              onClick={() => onFilter(term, rest)}
            >
              {words}: {termLabel(term)}
            </Button>
          ))}
        </Group>
      )}
      <AlsoFound search={search} />
    </>
  )
}

function AlsoFound({ search }: { search: string }) {
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

type MeantProps = { search: string | undefined; address: (meant: { search: string; q: string }) => string }

/** After a search without results: known names of almost the same spelling. */
export function DidYouMean({ search = '', address }: MeantProps) {
  const { data } = useQuery({ ...correctedQuery(search), enabled: search !== '' })
  if (!data) return null
  return (
    <Text size="sm">
      Did you mean <AppLink to={address(data)}>{[data.search, data.q].filter(Boolean).join(' ')}</AppLink>?
    </Text>
  )
}
