import { MantineProvider } from '@mantine/core'
import { Notifications, notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { createMemoryRouter, RouterProvider } from 'react-router-dom'
import { newQueryClient } from '../../../web/lib/query-client'

/** Shows a screen as main.tsx does, at an address. */
export function show(element: ReactNode, address = '/') {
  notifications.clean()
  const router = createMemoryRouter([{ path: '*', element }], { initialEntries: [address] })
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
