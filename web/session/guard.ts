import { redirect } from 'react-router-dom'
import { isAuthenticated } from './session'

type Place = { pathname: string; search: string; hash?: string }

/** The sign-in page, which leads back to where one wanted to go. */
export function signInPath({ pathname, search, hash = '' }: Place) {
  const wanted = `${pathname}${search}${hash}`
  return wanted === '/' || wanted === '/homepage' ? '/auth' : `/auth?${new URLSearchParams({ next: wanted })}`
}

export function requireSession({ request }: { request: Request }) {
  if (!isAuthenticated()) throw redirect(signInPath(new URL(request.url)))
  return null
}

/** Only a place of this site: a link to the sign-in page must not lead elsewhere. */
export function wantedPath(next: string | null) {
  if (!next) return '/homepage'
  const { origin, pathname, search, hash } = new URL(next, location.origin)
  const isOurs = origin === location.origin && next.startsWith('/') && pathname !== '/auth'
  return isOurs ? `${pathname}${search}${hash}` : '/homepage'
}
