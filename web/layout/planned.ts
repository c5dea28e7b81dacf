export type Planned = { path: string; title: string; text: string; links: { to: string; label: string }[] }

const productList = { to: '/products', label: 'Products' }

const monitoring = {
  title: 'Monitoring',
  text: 'Here you will see everything your organization monitors in one place, and import or export it as CSV.',
  links: [
    { to: '/products?monitored=true', label: 'Monitored products' },
    { to: '/vulns?monitored=true', label: 'Monitored vulnerabilities' },
  ],
}
const packages = {
  title: 'Packages',
  text: 'Here you will browse packages of npm, PyPI, Maven and others, and monitor them.',
  links: [productList],
}

/** Screens of the specification that are still to come, for whoever is signed in. */
export const plannedInside: Planned[] = [
  { path: 'monitoring', ...monitoring },
  { path: 'packages', ...packages },
  { path: 'packages/:id', ...packages, title: 'Package' },
]
