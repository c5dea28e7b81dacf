import type { EnsureQueryDataOptions, QueryKey } from '@tanstack/react-query'
import type * as z from 'zod'
import { readFilters } from './filters'
import { readId } from './id-param'
import { queryClient } from './query-client'

/** The address of a screen, which begins to load its data as its code loads. */
export type Place = { params: Record<string, string | undefined>; search: string }

type Options<Data, Key extends QueryKey> = EnsureQueryDataOptions<Data, Error, Data, Key>

/** Ignores errors: the screen asks again and shows them. */
export const ensure = <Data, Key extends QueryKey>(options: Options<Data, Key>) =>
  queryClient
    .ensureQueryData({ ...options, meta: {}, retry: false, revalidateIfStale: true })
    .catch((): undefined => undefined)

export function ensureWithId<Data, Key extends QueryKey>({ params }: Place, query: (id: number) => Options<Data, Key>) {
  const id = readId(params.id)
  return id === undefined ? undefined : ensure(query(id))
}

export const filtersIn = <S extends z.ZodObject>({ search }: Place, schema: S, defaults: Partial<z.input<S>> = {}) =>
  readFilters(schema, new URLSearchParams(search), defaults)

export const tabIn = ({ search }: Place) => new URLSearchParams(search).get('tab')
