import type { Bound } from '../http/route'

export const joiningRoutes: Bound[] = []
