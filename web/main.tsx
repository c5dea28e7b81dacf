import './base.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createBrowserRouter, RouterProvider } from 'react-router-dom'
import { forgetScreens, keepLastScreens, removeLastScreen } from './session/last-screens'
import { authorizeCalls } from './lib/call'
import { askProof } from './session/proof'
import { keepPlaces, leadToMistakes } from './lib/held-focus'
import { queryClient } from './lib/query-client'
import { watchForms } from './lib/typed'
import { prefetchLinks } from './prefetch'
import { routes } from './router'
import { renewAccess } from './session/renew'
import { accessToken, isAuthenticated, onIdentityChange } from './session/session'
import { cssVariablesResolver, theme } from './theme'

authorizeCalls({ access: accessToken, renew: renewAccess, prove: askProof })
onIdentityChange(() => {
  forgetScreens()
  if (isAuthenticated()) void queryClient.resetQueries()
  else queryClient.removeQueries()
})

const router = createBrowserRouter(routes)
prefetchLinks(routes)
leadToMistakes()
keepPlaces()
watchForms()
keepLastScreens(queryClient)
removeLastScreen()

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={cssVariablesResolver} defaultColorScheme="auto">
      <Notifications position="top-right" />
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)

// Asked for when the first screen has long been there. Browsers have none on addresses that are not safe.
const unhurried_ms = 10_000
const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer }
if (import.meta.env.PROD)
  setTimeout(() => serviceWorker?.register('/service-worker.js').catch(() => undefined), unhurried_ms)
