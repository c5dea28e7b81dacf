import { useLocation, useNavigation } from 'react-router-dom'

/** Whether another screen was opened and is still loading: writing into the address then would take its place. */
export function useIsLeaving() {
  const { pathname } = useLocation()
  const { location: next } = useNavigation()
  return next !== undefined && next.pathname !== pathname
}
