import type { Bound } from '../http/route'

export const ssoRoutes: Bound[] = []
