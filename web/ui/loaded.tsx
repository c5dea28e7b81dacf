import type { ReactNode } from 'react'
import { FailedState } from './failed-state'

type Props<Data> = {
  query: { data: Data | undefined; error: Error | null; refetch: () => unknown }
  /** The title of a failure. */
  failed: string
  waiting?: ReactNode
  children: (data: Data) => ReactNode
}

/** The answer of a query; until it is there its place, or the failure. */
export function Loaded<Data>({ query, failed, waiting, children }: Props<Data>) {
  if (query.data !== undefined) return children(query.data)
  return query.error ? <FailedState title={failed} query={query} /> : waiting
}
