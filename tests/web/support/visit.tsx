import { MantineProvider } from '@mantine/core'
import { Notifications, notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { configure, render } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router-dom'
import type { RouteObject } from 'react-router-dom'
import { newQueryClient } from '../../../web/lib/query-client'
import { routes } from '../../../web/router'

// A screen is loaded when it is first visited, which takes a moment.
configure({ asyncUtilTimeout: 8000 })

/** Goes to an address of the whole application. */
export function visit(address: string) {
  notifications.clean()
  const router = createMemoryRouter(routes.map(unvisited), { initialEntries: [address] })
  render(
    <MantineProvider env="test">
      <Notifications />
      <QueryClientProvider client={newQueryClient()}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  )
  return { address: () => `${router.state.location.pathname}${router.state.location.search}` }
}

// A router writes into a route what it has loaded, so each gets its own.
function unvisited(route: RouteObject): RouteObject {
  return route.index ? { ...route } : { ...route, children: route.children?.map(unvisited) }
}
