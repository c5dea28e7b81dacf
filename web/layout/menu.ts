import {
  IconBell,
  IconBug,
  IconClockExclamation,
  IconBook,
  IconEye,
  IconGauge,
  IconHelp,
  IconHome,
  IconNews,
  IconPackage,
  IconPackages,
  IconRss,
  IconSearch,
  IconSettings,
  IconShieldCheck,
  IconShieldExclamation,
  IconStack2,
} from '@tabler/icons-react'
import type { Icon } from '@tabler/icons-react'

export type MenuLink = { label: string; to: string; icon: Icon; isEnd?: boolean }
export type MenuGroup = { label: string; icon: Icon; links: MenuLink[] }

export const menu: (MenuLink | MenuGroup)[] = [
  { label: 'Home', to: '/homepage', icon: IconHome },
  { label: 'Search', to: '/search', icon: IconSearch },
  { label: 'Monitoring', to: '/monitoring', icon: IconEye, isEnd: true },
  { label: 'Inventories', to: '/monitoring/inventories', icon: IconStack2 },
  { label: 'Alerts', to: '/alerts', icon: IconBell },
  { label: 'Accepted risks', to: '/risks', icon: IconShieldCheck },
  { label: 'CRA clocks', to: '/cra', icon: IconClockExclamation },
  { label: 'Vulnerabilities', to: '/vulns', icon: IconShieldExclamation },
  { label: 'Products', to: '/products', icon: IconPackages },
  { label: 'Exploits', to: '/exploits', icon: IconBug },
  { label: 'Ratings', to: '/ratings', icon: IconGauge },
  {
    label: 'Public feeds',
    icon: IconRss,
    links: [
      { label: 'CVE', to: '/kb/cves', icon: IconBook },
      { label: 'Bulletins', to: '/kb/bulletins', icon: IconNews },
      { label: 'Vendors & Products', to: '/vendors', icon: IconPackages },
      { label: 'Packages', to: '/packages', icon: IconPackage },
    ],
  },
  { label: 'Settings', to: '/settings', icon: IconSettings },
  { label: 'Help', to: '/help', icon: IconHelp },
]
