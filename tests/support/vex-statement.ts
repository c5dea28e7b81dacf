import type { VexStatement } from '../../worker/inventories/vex/statement'

export const vexSubject = {
  name: 'shop',
  page: 'https://earshot.example/monitoring/inventories/shop',
  author: 'Acme',
  now: '2026-11-20T12:00:00Z',
}

export const vexComponent = {
  id: 1,
  name: 'log4j-core',
  version: '2.14.1',
  purl: 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1',
  cpe: null,
}

export const aStatement = (given: Partial<VexStatement>): VexStatement => ({
  vuln_id: 1,
  cveid: 'CVE-2021-44228',
  summary: 'A flaw',
  component: vexComponent,
  status: 'affected',
  justification: null,
  note: null,
  fixed_in: '2.15.0',
  at: '2026-11-19T12:00:00Z',
  ...given,
})
