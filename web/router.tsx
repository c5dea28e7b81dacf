import { redirect } from 'react-router-dom'
import type { LoaderFunctionArgs, RouteObject, ShouldRevalidateFunction } from 'react-router-dom'
import { lazy } from 'react'
import type { ComponentType } from 'react'
import { Loader } from '@mantine/core'
import { PublicLayout } from './layout/public-layout'
import { RouteErrorPage } from './layout/route-error-page'
import type { Place } from './lib/place'
import { requireSession } from './session/guard'
import { isAuthenticated } from './session/session'
import type { SuggestProps } from './ui/suggest'
import { Page } from './ui/page'

// A function, as the router passes over a failed import in the object form of `lazy` and then shows nothing at all.
const component = (load: () => Promise<ComponentType>) => async () => ({ Component: await load() })

/** If its data comes within this time, a screen appears at once with data instead of empty first. The first screen waits longer. */
let patience_ms = 500
const laterPatience_ms = 200
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

// Filters belong to the screen: a change of filters does not wait for data.
const isElsewhere: ShouldRevalidateFunction = ({ currentUrl, nextUrl }) => currentUrl.pathname !== nextUrl.pathname

/** Fetches the data of a screen while its code loads, and when the pointer approaches a link. */
function withStart(route: RouteObject): RouteObject {
  const { path = '' } = route
  // The guard of the session runs beside it.
  const prefetch = async (place: Place) =>
    isAuthenticated() ? import('./start').then(({ start }) => start(path, place)).catch(() => undefined) : undefined
  const loader = async ({ params, request }: LoaderFunctionArgs) => {
    const enough = pause(patience_ms)
    patience_ms = laterPatience_ms
    await Promise.race([prefetch({ params, search: new URL(request.url).search }), enough])
    return null
  }
  return { ...route, handle: { prefetch }, loader, shouldRevalidate: isElsewhere }
}

function leaveForWorker({ request }: LoaderFunctionArgs) {
  const { pathname, search } = new URL(request.url)
  location.assign(pathname + search)
  return null
}

const SigningIn = () => (
  <Page title="Signing in…">
    <Loader size="sm" />
  </Page>
)

const outside: RouteObject = {
  Component: PublicLayout,
  children: [
    { path: 'auth', lazy: component(() => import('./auth/auth-page').then((page) => page.AuthPage)) },
    {
      path: 'sso/:org?',
      HydrateFallback: SigningIn,
      lazy: () =>
        import('./auth/sso-page').then(({ loadSsoAnswer: loader, SsoPage: Component }) => ({ loader, Component })),
    },
    {
      path: 'lostpassword',
      lazy: component(() => import('./auth/lost-password-page').then((page) => page.LostPasswordPage)),
    },
    {
      path: 'newpassword',
      lazy: () =>
        import('./auth/new-password-page').then(({ requireToken: loader, NewPasswordPage: Component }) => ({
          loader,
          Component,
        })),
    },
    {
      path: 'registration',
      lazy: () =>
        import('./auth/registration-page').then(({ requireInvitation: loader, RegistrationPage: Component }) => ({
          loader,
          Component,
        })),
    },
    { path: 'trial', lazy: component(() => import('./auth/trial-page').then((page) => page.TrialPage)) },
    {
      path: 'trial/:token',
      lazy: () =>
        import('./auth/trial-account-page').then(({ loadTrial: loader, TrialAccountPage: Component }) => ({
          loader,
          Component,
        })),
    },
    // Public pages that the Worker renders.
    ...['public/*', 'conformance', 'census', 'status', 'sources'].map((path) => ({
      path,
      loader: leaveForWorker,
      element: null,
    })),
    {
      path: 'email/:token',
      lazy: () =>
        import('./auth/email-page').then(({ takeToken: loader, EmailPage: Component }) => ({ loader, Component })),
    },
  ],
}

const Suggestions = lazy(() => import('./palette/suggestions').then((file) => ({ default: file.Suggestions })))
const Palette = lazy(() => import('./palette/palette').then((file) => ({ default: file.Palette })))

const inside: RouteObject = {
  loader: requireSession,
  handle: {
    palette: (close: () => void) => <Palette onClose={close} />,
    suggest: (props: SuggestProps) => <Suggestions {...props} />,
  },
  lazy: component(() => import('./layout/main-layout').then((page) => page.MainLayout)),
  children: [
    {
      ErrorBoundary: RouteErrorPage,
      children: [
        {
          path: 'homepage',
          lazy: component(() => import('./home/home-page').then((page) => page.HomePage)),
        },
        {
          path: 'vulns',
          lazy: component(() => import('./vulns/list/vuln-list-page').then((page) => page.VulnListPage)),
        },
        {
          path: 'vulns/:id',
          lazy: component(() => import('./vulns/detail/vuln-page').then((page) => page.VulnPage)),
        },
        {
          path: 'products',
          lazy: component(() => import('./kb/products/product-list-page').then((page) => page.ProductListPage)),
        },
        {
          path: 'vendors',
          lazy: component(() => import('./kb/vendors/vendor-list-page').then((page) => page.VendorListPage)),
        },
        {
          path: 'vendor/:id',
          lazy: component(() => import('./kb/vendors/vendor-page').then((page) => page.VendorPage)),
        },
        {
          path: 'kb/bulletins',
          lazy: component(() => import('./kb/bulletins/bulletin-list-page').then((page) => page.BulletinListPage)),
        },
        {
          path: 'kb/bulletins/:id',
          lazy: component(() => import('./kb/bulletins/bulletin-page').then((page) => page.BulletinPage)),
        },
        {
          path: 'kb/cwe/:id',
          lazy: component(() => import('./kb/weaknesses/weakness-page').then((page) => page.WeaknessPage)),
        },
        { path: 'kb/cves', lazy: component(() => import('./kb/cves/cve-list-page').then((page) => page.CveListPage)) },
        {
          path: 'packages',
          lazy: component(() => import('./kb/packages/package-list-page').then((page) => page.PackageListPage)),
        },
        {
          path: 'packages/:id',
          lazy: component(() => import('./kb/packages/package-page').then((page) => page.PackagePage)),
        },
        {
          path: 'product/:id',
          lazy: component(() => import('./kb/products/product-page').then((page) => page.ProductPage)),
        },
        {
          path: 'alerts',
          lazy: component(() => import('./alerts/alert-list-page').then((page) => page.AlertListPage)),
        },
        {
          path: 'risks',
          lazy: component(() => import('./decisions/register-page').then((page) => page.RegisterPage)),
        },
        {
          path: 'cra',
          lazy: component(() => import('./cra/clock-list-page').then((page) => page.ClockListPage)),
        },
        {
          path: 'cra/:id',
          lazy: component(() => import('./cra/evidence-page').then((page) => page.EvidencePage)),
        },
        {
          path: 'reports',
          lazy: component(() => import('./reports/report-list-page').then((page) => page.ReportListPage)),
        },
        {
          path: 'reports/sample',
          lazy: component(() => import('./reports/sample-page').then((page) => page.SamplePage)),
        },
        {
          path: 'reports/:schedule/:day',
          lazy: component(() => import('./reports/report-page').then((page) => page.ReportPage)),
        },
        {
          path: 'settings',
          lazy: component(() => import('./settings/settings-page').then((page) => page.SettingsPage)),
        },
        { path: 'ratings', lazy: component(() => import('./ratings/rating-page').then((page) => page.RatingPage)) },
        {
          path: 'exploits',
          lazy: component(() => import('./exploits/exploit-list-page').then((page) => page.ExploitListPage)),
        },
        {
          path: 'threats',
          lazy: component(() => import('./exploits/threat-list-page').then((page) => page.ThreatListPage)),
        },
        ...['search', 'search/:term', 'test-as'].map((path) => ({
          path,
          lazy: component(() => import('./search/search-page').then((page) => page.SearchPage)),
        })),
        {
          path: 'monitoring/inventories',
          lazy: component(() => import('./inventories/inventory-list-page').then((page) => page.InventoryListPage)),
        },
        {
          path: 'monitoring/inventories/:name',
          lazy: component(() => import('./inventories/inventory-page').then((page) => page.InventoryPage)),
        },
        { path: 'help', lazy: component(() => import('./help/help-page').then((page) => page.HelpPage)) },
        {
          path: 'monitoring',
          lazy: component(() => import('./monitoring/monitoring-page').then((page) => page.MonitoringPage)),
        },
        { path: '*', lazy: component(() => import('./layout/not-found-page').then((page) => page.NotFoundPage)) },
      ].map(withStart),
    },
  ],
}

export const routes: RouteObject[] = [
  {
    ErrorBoundary: RouteErrorPage,
    // As in index.html, until the first screen has its code and data.
    HydrateFallback: () => <p className="starting">Starting Earshot…</p>,
    children: [{ index: true, loader: () => redirect('/homepage') }, outside, inside],
  },
]
