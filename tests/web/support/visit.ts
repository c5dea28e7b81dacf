import type { RouteObject } from 'react-router-dom'
import { routes } from '../../../web/router'
import { renderRoutes } from './app'

/** Goes to an address of the whole application. */
export const visit = (address: string) => renderRoutes(routes.map(copyRoute), address)

// A router writes into a route what it has loaded, so each gets its own.
function copyRoute(route: RouteObject): RouteObject {
  return route.index ? { ...route } : { ...route, children: route.children?.map(copyRoute) }
}
