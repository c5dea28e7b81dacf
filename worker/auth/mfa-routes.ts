import type { Bound } from '../http/route'

export const mfaRoutes: Bound[] = []
