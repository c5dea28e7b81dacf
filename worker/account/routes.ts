import type { Bound } from '../http/route'

export const accountRoutes: Bound[] = []
