import { redirect } from 'react-router-dom'
import type { RouteObject } from 'react-router-dom'
import { SigningIn } from './auth/signing-in'
import { NotBuiltPage } from './layout/not-built-page'
import { plannedInside, plannedOutside } from './layout/planned'
import { PublicLayout } from './layout/public-layout'
import { RouteErrorPage } from './layout/route-error-page'
import { requireSession } from './session/guard'

const outside: RouteObject = {
  Component: PublicLayout,
  children: [
    { path: 'auth', lazy: { Component: () => import('./auth/auth-page').then((page) => page.AuthPage) } },
    {
      path: 'sso',
      HydrateFallback: SigningIn,
      lazy: {
        loader: () => import('./auth/sso-page').then((page) => page.finishSignIn),
        Component: () => import('./auth/sso-page').then((page) => page.SsoPage),
      },
    },
    {
      path: 'lostpassword',
      lazy: { Component: () => import('./auth/lost-password-page').then((page) => page.LostPasswordPage) },
    },
    {
      path: 'newpassword',
      lazy: {
        loader: () => import('./auth/new-password-page').then((page) => page.requireToken),
        Component: () => import('./auth/new-password-page').then((page) => page.NewPasswordPage),
      },
    },
    {
      path: 'registration',
      lazy: {
        loader: () => import('./auth/registration-page').then((page) => page.requireInvitation),
        Component: () => import('./auth/registration-page').then((page) => page.RegistrationPage),
      },
    },
    { path: 'trial', lazy: { Component: () => import('./auth/trial-page').then((page) => page.TrialPage) } },
    {
      path: 'trial/:token',
      lazy: {
        loader: () => import('./auth/trial-account-page').then((page) => page.findTrial),
        Component: () => import('./auth/trial-account-page').then((page) => page.TrialAccountPage),
      },
    },
    { path: 'email/:token', lazy: { Component: () => import('./auth/email-page').then((page) => page.EmailPage) } },
    ...plannedOutside.map((planned) => ({ path: planned.path, element: <NotBuiltPage {...planned} /> })),
  ],
}

const inside: RouteObject = {
  loader: requireSession,
  lazy: { Component: () => import('./layout/main-layout').then((page) => page.MainLayout) },
  children: [
    {
      ErrorBoundary: RouteErrorPage,
      children: [
        { path: 'homepage', lazy: { Component: () => import('./home/home-page').then((page) => page.HomePage) } },
        {
          path: 'vulns',
          lazy: { Component: () => import('./vulns/vuln-list-page').then((page) => page.VulnListPage) },
        },
        { path: 'vulns/:id', lazy: { Component: () => import('./vulns/vuln-page').then((page) => page.VulnPage) } },
        {
          path: 'products',
          lazy: { Component: () => import('./kb/product-list-page').then((page) => page.ProductListPage) },
        },
        {
          path: 'product/:id',
          lazy: { Component: () => import('./kb/product-page').then((page) => page.ProductPage) },
        },
        {
          path: 'alerts',
          lazy: { Component: () => import('./alerts/alert-list-page').then((page) => page.AlertListPage) },
        },
        {
          path: 'settings',
          lazy: { Component: () => import('./settings/settings-page').then((page) => page.SettingsPage) },
        },
        { path: 'help', lazy: { Component: () => import('./help/help-page').then((page) => page.HelpPage) } },
        ...plannedInside.map((planned) => ({ path: planned.path, element: <NotBuiltPage {...planned} /> })),
        { path: '*', lazy: { Component: () => import('./layout/not-found-page').then((page) => page.NotFoundPage) } },
      ],
    },
  ],
}

export const routes: RouteObject[] = [
  {
    ErrorBoundary: RouteErrorPage,
    HydrateFallback: () => null,
    children: [{ index: true, loader: () => redirect('/homepage') }, outside, inside],
  },
]
