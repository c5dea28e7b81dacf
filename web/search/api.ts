import { listExploits, listThreats } from '../../worker/exploits/contract'
import type { ExploitQueryInput, ThreatQueryInput } from '../../worker/exploits/contract'
import { importMonitored } from '../../worker/monitoring/contract'
import { askVersion } from '../../worker/search/contract'
import { listVulns } from '../../worker/vulns/contract'
import type { VulnQueryInput } from '../../worker/vulns/contract'
import { askFor, askPage, change } from '../lib/ask'
import { call } from '../lib/call'

export const foundVulnsQuery = (query: VulnQueryInput) =>
  askPage(
    ['vulns', 'list', 'search', query],
    listVulns,
    { query: { ...query, count: 'quick' } },
    'Unable to get vulns.',
  )

export const foundExploitsQuery = (query: ExploitQueryInput) =>
  askPage(
    ['exploits', 'search', query],
    listExploits,
    { query: { ...query, count: 'quick' } },
    'Unable to get exploits.',
  )

export const foundThreatsQuery = (query: ThreatQueryInput) =>
  askPage(
    ['threats', 'search', query],
    listThreats,
    { query: { ...query, count: 'quick' } },
    'Unable to get threat news.',
  )

export const versionAnswersQuery = (term: string) =>
  askFor(['search', 'version', term], askVersion, { query: { term } })

/** Imports a list of one line, so that the name is awaited until a source has it. */
export const awaitIdMutation = change(
  [['monitored']],
  (id: string) =>
    call(importMonitored, { body: { file: `type,value,groups\r\nvuln,${id},\r\n`, mode: 'add', dry_run: false } }),
  {
    success: 'Vulnerability monitoring successfuly updated.',
    failure: 'Unable to change the vulnerability monitoring status',
  },
)
