import * as z from 'zod'
import { Tally } from './fields'

export const pageSizes = [5, 10, 20, 50, 100] as const
const maxLimit = 100

export const PageNumber = z.coerce.number<number | string>().int().min(1).max(1_000_000)
/** Rows of a page; more are cut. */
export const pageLimit = (first: number, most: number) =>
  z.coerce
    .number<number | string>()
    .int()
    .min(1)
    .transform((limit) => Math.min(limit, most))
    .default(first)
const maxKeys = 5

/** `page` from 1, `limit` 20 (at most 100); `-` before a field sorts descending. */
export function pageQuery<const Field extends string>(fields: readonly Field[], first: Field | `-${Field}`) {
  const sortable = fields.flatMap((field) => [field, `-${field}` as const])
  return z.object({
    page: PageNumber.default(1),
    limit: pageLimit(20, maxLimit),
    sorted_by: z
      .enum(sortable)
      .optional()
      .transform((sort): Field | `-${Field}` => sort ?? first),
    /** Sorts rows with equal `sorted_by`: the further keys where `sorted_by` names several, separated by commas. */
    then_by: z
      .union([
        z
          .string()
          .max(500)
          .transform((keys) => keys.split(',')),
        z.array(z.enum(sortable)),
      ])
      .pipe(z.array(z.enum(sortable)).max(maxKeys))
      .optional(),
  })
}

/** `sorted_by=a,-b` becomes `sorted_by=a&then_by=-b`, so that a list that needs one key reads one. */
export function splitSorting(query: Record<string, string>) {
  const [first, ...others] = query.sorted_by?.split(',') ?? []
  return first !== undefined && others.length ? { ...query, sorted_by: first, then_by: others.join() } : query
}

export type Paging = { page: number; limit: number }
export const pageOffset = ({ page, limit }: Paging) => (page - 1) * limit

const Link = z
  .string()
  .nullable()
  .meta({ examples: [null] })

/** `count_is_exact` is false when a filtered count stopped at its cap. */
export function pageSchema<Row extends z.ZodType>(row: Row) {
  return z.object({
    count: Tally,
    count_is_exact: z.boolean(),
    next: Link,
    previous: Link,
    results: z.array(row),
  })
}

/** An array for clients of the specification, a page for calls that ask for one. */
export const arrayOrPage = <Row extends z.ZodType>(row: Row) => z.union([z.array(row), pageSchema(row)])

/** `next`: the parameters of the next page where it is not simply this one plus one. */
export type Found<Row> = {
  count: number
  count_is_exact?: boolean
  results: Row[]
  next?: Record<string, number> | null
}

/** Clients loop until `next` is null. */
export function paged<Row, FoundPage extends Found<Row>>(
  url: URL,
  { page, limit }: Paging,
  found: FoundPage & Found<Row>,
) {
  const { count, count_is_exact = true, results, next } = found
  const link = (changes: Record<string, number>) => {
    const target = new URL(url)
    for (const [name, value] of Object.entries(changes)) target.searchParams.set(name, String(value))
    return target.toString()
  }
  const hasNext = count_is_exact ? page * limit < count : results.length === limit
  const pageBehind = hasNext ? { page: page + 1 } : null
  const following = next === undefined ? pageBehind : next
  const hasPrevious = page > 1 && count > 0
  return {
    ...found,
    count_is_exact,
    next: following && link(following),
    previous: hasPrevious ? link({ page: page - 1 }) : null,
  }
}

/** For a route whose handler finds one page. */
export const inPages =
  <Request extends { url: URL; query: Paging }, Row, FoundPage extends Found<Row>>(
    find: (request: Request) => Promise<FoundPage & Found<Row>>,
  ) =>
  async (request: Request) =>
    paged(request.url, request.query, await find(request))

/** Counting further would read more rows than any screen shows. */
export const countCap = 10_000
