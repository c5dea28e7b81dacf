import { importMonitored } from '../../worker/monitoring/contract'
import { askVersion } from '../../worker/search/contract'
import { listVulns } from '../../worker/vulns/contract'
import type { VulnQueryInput } from '../../worker/vulns/contract'
import { askFor, askPage, change } from '../lib/ask'
import { call } from '../lib/call'
import type { WatchLine } from './watch-line'

export const foundVulnsQuery = (query: VulnQueryInput) =>
  askPage(
    ['vulns', 'list', 'search', query],
    listVulns,
    { query: { ...query, count: 'quick' } },
    'Unable to get vulns.',
  )

export const versionAnswersQuery = (term: string) =>
  askFor(['search', 'version', term], askVersion, { query: { term } })

// A link may bring any name here.
const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`

/** Imports a list of one line, so that the name is awaited until a source has it. */
export const awaitMutation = change(
  [['monitored']],
  ({ kind, value, version }: WatchLine) => {
    const file = `type,value,groups,versions\r\n${kind},${quote(value)},,${quote(version ?? '')}\r\n`
    return call(importMonitored, { body: { file, mode: 'add', dry_run: false } })
  },
  {
    success: 'Monitoring status successfuly updated.',
    failure: 'Unable to change the monitoring status',
  },
)
