import { MantineProvider } from '@mantine/core'
import { Notifications, notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { act, render } from '@testing-library/react'
import { useLayoutEffect } from 'react'
import { createMemoryRouter, Outlet, RouterProvider, useLocation, type RouteObject } from 'react-router-dom'
import { newQueryClient } from '../../../web/lib/query-client'
import { theme } from '../../../web/theme'

/** Shows routes as main.tsx does. */
export function renderRoutes(routes: RouteObject[], address: string) {
  notifications.clean()
  let current = ''
  // The router knows the next address before React has drawn its screen, so a test that asked the router would be too early.
  function Screen() {
    const { pathname, search } = useLocation()
    useLayoutEffect(() => {
      current = `${pathname}${search}`
    }, [pathname, search])
    return <Outlet />
  }
  const router = createMemoryRouter([{ Component: Screen, children: routes }], { initialEntries: [address] })
  render(
    <MantineProvider theme={theme} env="test">
      <Notifications />
      <QueryClientProvider client={newQueryClient()}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  )
  return { address: () => current, goBack: () => act(() => router.navigate(-1)) }
}
