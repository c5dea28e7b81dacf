import { useQuery, type QueryKey, type UseQueryOptions } from '@tanstack/react-query'
import { useParams } from 'react-router-dom'
import { isNotFound } from './not-found'

export function useIdParam() {
  return readId(useParams().id)
}

export const readId = (id = '') => (/^[1-9]\d{0,14}$/.test(id) ? Number(id) : undefined)

type Options<Data, Key extends QueryKey> = UseQueryOptions<Data, Error, Data, Key>

/** Asks for the row that the address names by its id; `isMissing` where there is none. */
export function useNamedRow<Data, Key extends QueryKey>(query: (id: number) => Options<Data, Key>, toId = readId) {
  const id = toId(useParams().id)
  const found = useQuery({ ...query(id ?? 0), enabled: id !== undefined })
  return { id: id ?? 0, found, isMissing: id === undefined || isNotFound(found.error) }
}
