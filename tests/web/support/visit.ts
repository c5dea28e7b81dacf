import type { RouteObject } from 'react-router-dom'
import { routes } from '../../../web/router'
import { renderRoutes } from './app'

export const visit = (address: string) => renderRoutes(routes.map(copyRoute), address)

// A router writes into a route what it has loaded, so each gets its own.
function copyRoute(route: RouteObject): RouteObject {
  return route.index ? { ...route } : { ...route, children: route.children?.map(copyRoute) }
}
