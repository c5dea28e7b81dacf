import { keepPreviousData, mutationOptions, queryOptions, type QueryKey } from '@tanstack/react-query'
import type { Call, Endpoint, Schema } from '../../worker/http/endpoint'
import { callWith } from './call'
import type { Meta } from './query-client'

/** The query that asks an endpoint; the failure is told in a notice. */
export const askFor = <Reply, P extends Schema, Q extends Schema, B extends Schema, const Key extends QueryKey>(
  queryKey: Key,
  contract: Endpoint<P, Q, B, Reply>,
  request: Call<P, Q, B> & object,
  failure?: Meta['failure'],
) => queryOptions({ queryKey, queryFn: ({ signal }) => callWith(contract, { ...request, signal }), meta: { failure } })

/** For a list in pages: the former page stays until the next is there. */
export const askPage = <Reply, P extends Schema, Q extends Schema, B extends Schema, const Key extends QueryKey>(
  queryKey: Key,
  contract: Endpoint<P, Q, B, Reply>,
  request: Call<P, Q, B> & object,
  failure?: Meta['failure'],
) =>
  queryOptions<Reply, Error, Reply, Key>({
    queryKey,
    queryFn: ({ signal }) => callWith(contract, { ...request, signal }),
    placeholderData: keepPreviousData,
    meta: { failure },
  })

/** A change of what these keys name, which are asked for again before it is done. */
export const change = <Answer, Given = void>(
  keys: readonly QueryKey[],
  mutationFn: (given: Given) => Promise<Answer>,
  meta: Meta,
) => mutationOptions({ mutationFn, meta: { ...meta, changes: keys } })

/** Makes nothing outdated that the app has asked for. */
export const act = <Answer, Given = void>(mutationFn: (given: Given) => Promise<Answer>, meta: Meta) =>
  change([], mutationFn, meta)
