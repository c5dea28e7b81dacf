import { z } from 'zod'
import { ExploitRow } from '../exploits/contract'
import { endpoint } from '../http/endpoint'
import { VulnRow } from '../vulns/contract'

export const vulnStats = endpoint({
  method: 'GET',
  path: '/api/vulns/stats',
  access: 'member',
  summary: 'The numbers of the home screen',
  reply: z.object({
    vulns: z.int(),
    vulns_exploitable: z.int(),
    vulns_remote: z.int(),
    exploits: z.int(),
    threats: z.int(),
    monitored: z.int(),
    monitored_vendors: z.int(),
    monitored_products: z.int(),
    monitored_packages: z.int(),
    monitored_vulns: z.int(),
  }),
})

export const monitoredStats = endpoint({
  method: 'GET',
  path: '/api/vulns/stats/monitored',
  access: 'member',
  summary: 'The numbers of what the organization monitors; exact up to 10,000 vulnerabilities',
  reply: z.object({
    vulns: z.object({ count: z.int(), exploitable: z.int(), remote: z.int() }),
    metadata: z.object({ count: z.int(), exploits: z.int(), threats: z.int() }),
    monitored: z.object({
      count: z.int(),
      vendors: z.int(),
      products: z.int(),
      packages: z.int(),
      vulnerabilities: z.int(),
    }),
  }),
})

export const latestVulns = endpoint({
  method: 'GET',
  path: '/api/vulns/latest',
  access: 'member',
  summary: 'The newest vulnerabilities and exploits, and the newest monitored vulnerabilities of the last days',
  query: z.object({ timedelta: z.coerce.number<number | string>().int().min(1).max(365).default(30) }),
  reply: z.object({ vulns: z.array(VulnRow), exploits: z.array(ExploitRow), monitored_vulns: z.array(VulnRow) }),
})
