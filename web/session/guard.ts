import { redirect } from 'react-router-dom'
import { isAuthenticated } from './session'

type Place = { pathname: string; search: string; hash?: string }

export function signInPath({ pathname, search, hash = '' }: Place) {
  const target = `${pathname}${search}${hash}`
  return target === '/' || target === '/homepage' ? '/auth' : `/auth?${new URLSearchParams({ next: target })}`
}

export function requireSession({ request }: { request: Request }) {
  if (!isAuthenticated()) throw redirect(signInPath(new URL(request.url)))
  return null
}

/** Accepts only a path of this site, so that a link to the sign-in page leads nowhere else. */
export function wantedPath(next: string | null) {
  if (!next?.startsWith('/') || !URL.canParse(next, location.origin)) return '/homepage'
  const { origin, pathname, search, hash } = new URL(next, location.origin)
  // The path of `/.//evil.example` would be read as an address.
  const isOurs = origin === location.origin && !pathname.startsWith('//') && pathname !== '/auth'
  return isOurs ? `${pathname}${search}${hash}` : '/homepage'
}
