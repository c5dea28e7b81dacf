import { menu } from '../layout/menu'
import { inboxAddress } from '../vulns/inbox-address'
import type { Access } from '../../worker/domain/people/access'

type Place = { label: string; to: string; access?: Access }

const shownFirst = 6

const places: Place[] = [
  ...menu.flatMap((item) =>
    'to' in item ? [item] : item.links.map(({ label, to }) => ({ label: `${item.label}: ${label}`, to })),
  ),
  { label: 'Inbox: open vulnerabilities', to: inboxAddress },
  { label: 'Threat activities', to: '/threats' },
  { label: 'Reports', to: '/reports' },
  { label: 'Monitoring: products', to: '/monitoring?tab=products' },
  { label: 'Monitoring: vulnerabilities', to: '/monitoring?tab=vulns' },
  { label: 'Sample report and alert', to: '/reports/sample' },
  { label: 'Settings: profile', to: '/settings?tab=profile' },
  { label: 'Settings: your time zone', to: '/settings?tab=profile' },
  { label: 'Settings: alerting', to: '/settings?tab=alerting', access: 'manageAlerts' },
  { label: 'Settings: time zone of reports', to: '/settings?tab=alerting', access: 'manageAlerts' },
  { label: 'Settings: organizations and users', to: '/settings?tab=orgs', access: 'manageOrg' },
  { label: 'Settings: audit', to: '/settings?tab=audit', access: 'orgAdmin' },
  { label: 'Settings: single sign-on', to: '/settings?tab=sso', access: 'orgAdmin' },
  { label: 'Settings: sync', to: '/settings?tab=sync', access: 'admin' },
  { label: 'Settings: service', to: '/settings?tab=service', access: 'admin' },
]

export function listPlaces(words: string, may: (access: Access) => boolean) {
  const wanted = words.toLowerCase().split(/\s+/)
  const fitting = places.filter(
    ({ label, access = 'member' }) => may(access) && wanted.every((word) => label.toLowerCase().includes(word)),
  )
  return words ? fitting.slice(0, shownFirst) : fitting
}
