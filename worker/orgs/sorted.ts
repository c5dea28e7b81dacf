import { asc, desc } from 'drizzle-orm'
import type { Column, SQL } from 'drizzle-orm'

/** The order a list asks for, `-` before the field for descending; `id` keeps rows of one value in place. */
export function sorted<Field extends string>(
  sorted_by: Field | `-${Field}`,
  columns: Record<NoInfer<Field>, Column | SQL>,
  ...ids: Column[]
) {
  const direction = sorted_by.startsWith('-') ? desc : asc
  // A template type cannot be taken apart by the compiler.
  const field = sorted_by.replace(/^-/, '') as Field
  return [direction(columns[field]), ...ids.map((id) => asc(id))]
}
