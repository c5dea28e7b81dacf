import { redirect } from 'react-router-dom'
import type { LoaderFunction, LoaderFunctionArgs, RouteObject, ShouldRevalidateFunction } from 'react-router-dom'
import { lazy, type ComponentType } from 'react'
import { Loader } from '@mantine/core'
import { PublicLayout } from './layout/public-layout'
import { BareErrorPage, RouteErrorPage } from './layout/route-error-page'
import type { Place } from './lib/ensure'
import { requireSession } from './session/guard'
import { isAuthenticated } from './session/session'
import type { SuggestProps } from './ui/suggest'
import { Page } from './ui/page'

// A function, as the router passes over a failed import in the object form of `lazy` and then shows nothing at all.
const component = (load: () => Promise<ComponentType>) => async () => ({ Component: await load() })

/** A page for anybody, and what it needs of its address. */
const entry = (path: string, load: () => Promise<[ComponentType, LoaderFunction?]>): RouteObject => ({
  path,
  lazy: async () => {
    const [Component, loader] = await load()
    return loader ? { Component, loader } : { Component }
  },
})

/** If its data comes within this time, a screen appears at once with data instead of empty first. The first screen waits longer. */
let patience_ms = 500
const laterPatience_ms = 200
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

// Filters belong to the screen: a change of filters does not wait for data.
const isElsewhere: ShouldRevalidateFunction = ({ currentUrl, nextUrl }) => currentUrl.pathname !== nextUrl.pathname

type Start = (place: Place) => unknown
/** Its component, and the function that begins to load its data. */
type Screen = [ComponentType, Start?]

const screen = (path: string, load: () => Promise<Screen>): RouteObject => ({
  path,
  lazy: component(() => load().then(([page]) => page)),
  ...withStart(() => load().then(([, start]) => start)),
})

/** Begins to load data while code loads, and when the pointer approaches a link. */
function withStart(find: () => Promise<Start | undefined>) {
  const begin = async (place: Place) => (await find())?.(place)
  // The guard of the session runs beside it.
  const prefetch = async (place: Place) => (isAuthenticated() ? begin(place).catch(() => undefined) : undefined)
  const loader = async ({ params, request }: LoaderFunctionArgs) => {
    const enough = pause(patience_ms).then(() => (patience_ms = laterPatience_ms))
    await Promise.race([prefetch({ params, search: new URL(request.url).search }), enough])
    return null
  }
  return { handle: { prefetch }, loader, shouldRevalidate: isElsewhere } satisfies RouteObject
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
    entry('auth', () => import('./auth/auth-page').then((page) => [page.AuthPage])),
    {
      ...entry('sso/:org?', () => import('./auth/sso-page').then((page) => [page.SsoPage, page.loadSsoAnswer])),
      HydrateFallback: SigningIn,
    },
    entry('lostpassword', () => import('./auth/lost-password-page').then((page) => [page.LostPasswordPage])),
    entry('newpassword', () =>
      import('./auth/new-password-page').then((page) => [page.NewPasswordPage, page.requireToken]),
    ),
    entry('registration', () =>
      import('./auth/registration-page').then((page) => [page.RegistrationPage, page.requireInvitation]),
    ),
    entry('trial', () => import('./auth/trial-page').then((page) => [page.TrialPage])),
    entry('trial/:token', () =>
      import('./auth/trial-account-page').then((page) => [page.TrialAccountPage, page.loadTrial]),
    ),
    entry('email/:token', () => import('./auth/email-page').then((page) => [page.EmailPage, page.takeToken])),
    // Public pages that the Worker renders.
    ...['public/*', 'conformance', 'census', 'status', 'sources'].map((path) => ({
      path,
      loader: leaveForWorker,
      element: null,
    })),
  ],
}

const Suggestions = lazy(() => import('./palette/suggestions').then((file) => ({ default: file.Suggestions })))
const Palette = lazy(() => import('./palette/palette').then((file) => ({ default: file.Palette })))

const screens = [
  screen('homepage', () => import('./home/home-page').then((page) => [page.HomePage, page.startHome])),
  screen('vulns', () => import('./vulns/list/vuln-list-page').then((page) => [page.VulnListPage, page.startVulnList])),
  screen('vulns/:id', () => import('./vulns/detail/vuln-page').then((page) => [page.VulnPage, page.startVuln])),
  screen('products', () =>
    import('./kb/products/product-list-page').then((page) => [page.ProductListPage, page.startProducts]),
  ),
  screen('vendors', () =>
    import('./kb/vendors/vendor-list-page').then((page) => [page.VendorListPage, page.startVendors]),
  ),
  screen('vendor/:id', () => import('./kb/vendors/vendor-page').then((page) => [page.VendorPage, page.startVendor])),
  screen('kb/bulletins', () =>
    import('./kb/bulletins/bulletin-list-page').then((page) => [page.BulletinListPage, page.startBulletins]),
  ),
  screen('kb/bulletins/:id', () =>
    import('./kb/bulletins/bulletin-page').then((page) => [page.BulletinPage, page.startBulletin]),
  ),
  screen('kb/cwe/:id', () =>
    import('./kb/weaknesses/weakness-page').then((page) => [page.WeaknessPage, page.startWeakness]),
  ),
  screen('kb/cves', () => import('./kb/cves/cve-list-page').then((page) => [page.CveListPage, page.startCves])),
  screen('packages', () =>
    import('./kb/packages/package-list-page').then((page) => [page.PackageListPage, page.startPackages]),
  ),
  screen('packages/:id', () =>
    import('./kb/packages/package-page').then((page) => [page.PackagePage, page.startPackage]),
  ),
  screen('product/:id', () =>
    import('./kb/products/product-page').then((page) => [page.ProductPage, page.startProductPage]),
  ),
  screen('alerts', () => import('./alerts/alert-list-page').then((page) => [page.AlertListPage, page.startAlerts])),
  screen('risks', () => import('./decisions/register-page').then((page) => [page.RegisterPage])),
  screen('cra', () => import('./cra/clock-list-page').then((page) => [page.ClockListPage])),
  screen('cra/:id', () => import('./cra/evidence-page').then((page) => [page.EvidencePage])),
  screen('reports', () =>
    import('./reports/report-list-page').then((page) => [page.ReportListPage, page.startReports]),
  ),
  screen('reports/sample', () => import('./reports/sample-page').then((page) => [page.SamplePage, page.startSample])),
  screen('reports/:schedule/:day', () =>
    import('./reports/report-page').then((page) => [page.ReportPage, page.startReport]),
  ),
  screen('settings', () => import('./settings/settings-page').then((page) => [page.SettingsPage])),
  screen('ratings', () => import('./ratings/rating-page').then((page) => [page.RatingPage, page.startRating])),
  screen('exploits', () =>
    import('./exploits/metadata-list-pages').then((page) => [page.ExploitListPage, page.startExploits]),
  ),
  screen('threats', () => import('./exploits/metadata-list-pages').then((page) => [page.ThreatListPage])),
  ...['search', 'search/:term', 'test-as'].map((path) =>
    screen(path, () => import('./search/search-page').then((page) => [page.SearchPage, page.startSearch])),
  ),
  screen('monitoring/inventories', () =>
    import('./inventories/inventory-list-page').then((page) => [page.InventoryListPage, page.startInventories]),
  ),
  screen('monitoring/inventories/:name', () =>
    import('./inventories/inventory-page').then((page) => [page.InventoryPage, page.startInventory]),
  ),
  screen('help', () => import('./help/help-page').then((page) => [page.HelpPage])),
  screen('monitoring', () =>
    import('./monitoring/monitoring-page').then((page) => [page.MonitoringPage, page.startMonitoring]),
  ),
  screen('*', () => import('./layout/not-found-page').then((page) => [page.NotFoundPage])),
]

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
      ...withStart(() => import('./layout/main-layout').then(({ startLayout }) => startLayout)),
      children: screens,
    },
  ],
}

export const routes: RouteObject[] = [
  {
    ErrorBoundary: BareErrorPage,
    // As in index.html, until the first screen has its code and data.
    HydrateFallback: () => <p className="starting">Starting Earshot…</p>,
    children: [{ index: true, loader: () => redirect('/homepage') }, outside, inside],
  },
]
