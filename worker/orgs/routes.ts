import type { Bound } from '../http/route'

export const orgRoutes: Bound[] = []
