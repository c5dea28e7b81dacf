import { asc, desc, sql, type Column, type SQL } from 'drizzle-orm'

export const counted = { count: sql<number>`count(*)`.as('count') }

type Sorting<Field extends string> = {
  sorted_by: Field | `-${Field}`
  then_by?: (Field | `-${Field}`)[] | undefined
}

/** `-` before the field is descending; `ids` hold rows of one value in place. */
export function sortTerms<Field extends string>(
  { sorted_by, then_by = [] }: Sorting<Field>,
  columns: Record<NoInfer<Field>, Column | SQL>,
  ...ids: Column[]
) {
  const keys = [sorted_by, ...then_by].map((key) => {
    // A template type cannot be taken apart by the compiler.
    const column = columns[key.replace(/^-/, '') as Field]
    return key.startsWith('-') ? desc(column) : asc(column)
  })
  return [...keys, ...ids.map((id) => asc(id))]
}
