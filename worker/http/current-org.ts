import { forbidden } from './errors'

/** A client may name the organization it believes it acts for; that is checked, never trusted. */
export function requireCurrentOrg(current: number, named: number | undefined) {
  if (named !== undefined && named !== current) throw forbidden('This is not your current organization')
}
