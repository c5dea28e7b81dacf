import { matchRoutes, type RouteObject } from 'react-router-dom'
import type { Place } from './lib/ensure'

/** A pointer that merely passes over a link stays shorter than this, and keys that walk through a list than that. */
const pointed_ms = 60
const focused_ms = 250

export function prefetchLinks(routes: RouteObject[]) {
  let waiting: ReturnType<typeof setTimeout> | undefined
  const onIntent = ({ target, type }: Event) => {
    clearTimeout(waiting)
    const address = findAddress(target)
    if (address) waiting = setTimeout(() => start(routes, address), type === 'focusin' ? focused_ms : pointed_ms)
  }
  document.addEventListener('pointerover', onIntent, { passive: true })
  document.addEventListener('focusin', onIntent)
}

function findAddress(target: EventTarget | null) {
  const found = target instanceof Element ? target.closest<HTMLElement>('a[href^="/"], [data-href]') : null
  if (!found || found.getAttribute('target') === '_blank') return undefined
  return new URL(found.dataset.href ?? found.getAttribute('href') ?? '', location.origin)
}

function start(routes: RouteObject[], { pathname, search }: URL) {
  for (const { route, params } of matchRoutes(routes, pathname) ?? []) {
    if (typeof route.lazy === 'function') void Promise.resolve(route.lazy()).catch(() => undefined)
    const { prefetch }: Prefetching = route.handle ?? {}
    void prefetch?.({ params, search })
  }
}

type Prefetching = { prefetch?: (place: Place) => Promise<unknown> }
