import { matchRoutes } from 'react-router-dom'
import type { RouteObject } from 'react-router-dom'
import type { Place } from './lib/place'

/** A pointer that merely passes over a link stays shorter than this. */
const intent_ms = 60

export function prefetchLinks(routes: RouteObject[]) {
  let waiting: ReturnType<typeof setTimeout> | undefined
  const onPointed = ({ target }: Event) => {
    clearTimeout(waiting)
    const address = findAddress(target)
    if (address) waiting = setTimeout(() => start(routes, address), intent_ms)
  }
  document.addEventListener('pointerover', onPointed, { passive: true })
  document.addEventListener('focusin', onPointed)
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
