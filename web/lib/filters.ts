import { useSearchParams } from 'react-router-dom'
import * as z from 'zod'
import { pageLimit, PageNumber } from '../../worker/http/page'
import { useIsLeaving } from './leaving'

/** Of a list that has nothing else in the address. */
export const PagingQuery = z.object({ page: PageNumber.default(1), limit: pageLimit(20, 100) })
export type PagingQuery = z.output<typeof PagingQuery>

type Values = Record<string, unknown>

type Defaults<S extends z.ZodObject> = Partial<z.input<S>>

/**
 * A wrong value in the URL counts as not given and is named in the last element. `prefix` keeps two lists on one screen apart.
 * The defaults may hang on the rest of the URL.
 */
export function useFilters<S extends z.ZodObject>(
  schema: S,
  given: Defaults<S> | ((params: URLSearchParams) => Defaults<S>) = {},
  prefix = '',
) {
  const [params, setParams] = useSearchParams()
  const isLeaving = useIsLeaving()
  const findGiven = typeof given === 'function' ? given : () => given

  const setFilters = (patch: Defaults<S>, { replace = false } = {}) => {
    // Text typed before a row was clicked.
    if (replace && isLeaving) return
    setParams(
      (current) => {
        const { prefixed, others } = splitParams(current, prefix)
        const written = [...writeFilters(schema, prefixed, patch, findGiven(current))]
        return new URLSearchParams([...others, ...written.map(([name, value]) => [`${prefix}${name}`, value])])
      },
      { replace, preventScrollReset: true },
    )
  }

  const { filters, unread } = parseFilters(schema, splitParams(params, prefix).prefixed, findGiven(params))
  return [filters, setFilters, unread] as const
}

function splitParams(params: URLSearchParams, prefix: string) {
  const isOwn = ([name]: string[]) => name?.startsWith(prefix)
  const all = [...params]
  const prefixed = all.filter(isOwn).map(([name, value]) => [name.slice(prefix.length), value])
  return { prefixed: new URLSearchParams(prefixed), others: all.filter((one) => !isOwn(one)) }
}

/** A wrong value counts as not given and is named in `unread`. */
export function parseFilters<S extends z.ZodObject>(schema: S, params: URLSearchParams, defaults: Values = {}) {
  const values: Values = { ...defaults, ...Object.fromEntries(params) }
  const result = schema.safeParse(values)
  if (result.success) return { filters: result.data, unread: [] }

  const wrong = new Set(result.error.issues.map(({ path }) => String(path[0])))
  for (const name of wrong) values[name] = defaults[name]
  return { filters: schema.parse(values), unread: [...params].filter(([name]) => wrong.has(name)) }
}

export const readFilters = <S extends z.ZodObject>(schema: S, params: URLSearchParams, defaults: Values = {}) =>
  parseFilters(schema, params, defaults).filters

/** A default stays out of the URL. Any change but that of the page goes back to page 1. */
export function writeFilters<S extends z.ZodObject>(
  schema: S,
  params: URLSearchParams,
  patch: Values,
  defaults: Values = {},
) {
  const unchanged: Values = readFilters(schema, new URLSearchParams(), defaults)
  const next = new URLSearchParams(params)
  next.delete('page')
  // `after` is a place in this very list: other filters make another list.
  if (Object.keys(patch).some((name) => name !== 'page' && name !== 'after')) next.delete('after')
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined || value === '' || value === unchanged[name]) next.delete(name)
    else next.set(name, String(value))
  }
  return next
}
