import { asc, desc } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

type By = SQL | SQLiteColumn
export type NameOrder = { by: By; isDescending: boolean }[]

export const upwards = (by: By) => ({ by, isDescending: false })
export const downwards = (by: By) => ({ by, isDescending: true })

export const toOrderBy = (order: NameOrder) => order.map(({ by, isDescending }) => (isDescending ? desc(by) : asc(by)))
