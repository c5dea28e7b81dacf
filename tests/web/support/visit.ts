import type { RouteObject } from 'react-router-dom'
import { routes } from '../../../web/router'
import { renderRoutes } from './app'

/** The code of the route at `lost` cannot be loaded, as without a connection, or when a newer version has replaced the file. */
export const visit = (address: string, { lost = '' } = {}) =>
  renderRoutes(
    routes.map((route) => copyRoute(route, lost)),
    address,
  )

// A router writes into a route what it has loaded, so each gets its own.
function copyRoute(route: RouteObject, lost: string): RouteObject {
  if (route.index) return { ...route }
  const children = route.children?.map((child) => copyRoute(child, lost))
  return { ...route, children, ...(route.path === lost && { lazy: fail }) }
}

const fail = () => Promise.reject(new Error('Failed to fetch dynamically imported module'))
