import { useEffect, isValidElement, type ReactNode } from 'react'
import { useLocation, useSearchParams } from 'react-router-dom'
import { AppLink } from '../ui/app-link'
import { EmptyState } from '../ui/empty-state'
import { helpTopics } from '../ui/help-link'
import { Page } from '../ui/page'
import { SearchField } from '../ui/search-field'
import classes from './help.module.css'
import { topics } from './topics'

export function HelpPage() {
  const [params, setParams] = useSearchParams()
  const search = params.get('search') ?? ''
  const query = search && `?${new URLSearchParams({ search })}`
  const found = helpTopics.filter((id) => {
    const { title, words = '', body } = topics[id]
    return containsWords(`${title} ${words} ${listWords(body)}`, search)
  })
  useTopicFromAddress()

  return (
    <Page
      title="Help"
      actions={
        <SearchField
          label="Search in Help"
          value={search}
          onChange={(text) => setParams(text ? { search: text } : {}, { replace: true })}
        />
      }
    >
      {found.length === 0 && <EmptyState title="No topic contains these words" text="Try fewer words, or others." />}
      <div className={classes.columns}>
        <nav className={classes.contents} aria-label="Topics">
          {found.map((id) => (
            <AppLink key={id} to={`/help${query}#${id}`} fz="sm">
              {topics[id].title}
            </AppLink>
          ))}
        </nav>
        <div className={classes.topics}>
          {found.map((id) => (
            <section key={id} id={id} aria-labelledby={`${id}-title`}>
              <h2 id={`${id}-title`} tabIndex={-1}>
                {topics[id].title}
              </h2>
              {topics[id].body}
            </section>
          ))}
        </div>
      </div>
    </Page>
  )
}

/** The page comes after its address, so the browser itself found no place to go to. */
function useTopicFromAddress() {
  const { hash, key } = useLocation()
  useEffect(() => {
    const section = document.getElementById(hash.slice(1))
    section?.scrollIntoView()
    section?.querySelector('h2')?.focus({ preventScroll: true })
    // The same link may be followed again.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [hash, key])
}

/** The text of a topic, for the search; components inside it are not read. */
function listWords(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number') return String(node)
  if (Array.isArray(node)) return node.map(listWords).join(' ')
  if (isValidElement<{ children?: ReactNode }>(node)) return listWords(node.props.children)
  return ''
}

function containsWords(text: string, search: string) {
  const plain = text.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => plain.includes(word))
}
