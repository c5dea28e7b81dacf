export type Planned = { path: string; title: string; text: string; links: { to: string; label: string }[] }

const monitoring = {
  title: 'Monitoring',
  text: 'Here you will see everything your organization monitors in one place, and import or export it as CSV.',
  links: [
    { to: '/products?monitored=true', label: 'Monitored products' },
    { to: '/vulns?monitored=true', label: 'Monitored vulnerabilities' },
  ],
}

/** Screens of the specification that do not exist yet. */
export const plannedInside: Planned[] = [{ path: 'monitoring', ...monitoring }]
