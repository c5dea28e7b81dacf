import type { DecisionEntry } from '../../worker/decisions/contract'
import { wakingWords } from '../../worker/domain/decisions/snooze'
import { statusLabels } from '../lib/status-labels'
import { decisionWords } from '../lib/vex-words'

const quietWords = { snoozed: 'Snoozed', accepted: 'Risk accepted' }

/** What an entry of the history says was decided. */
export function describeEntry({ scope, verdict, owner, ended_by, component, version, inventory }: DecisionEntry) {
  const words = new Map<string, string>(
    Object.entries(scope === 'component' ? decisionWords : { ...statusLabels, ...quietWords }),
  )
  const said = words.get(verdict ?? '') ?? 'Nothing decided'
  if (scope === 'assignee') return owner && verdict ? `Assigned to ${owner}` : 'Assigned to nobody'
  if (scope === 'request') return verdict ? 'Asked to accept the risk' : 'No request any more'
  if (scope === 'component')
    return `${verdict ? said : 'Open again'}: ${component ?? 'a component'} ${version ?? ''} in ${inventory ?? 'an inventory'}`
  if (scope === 'alerts')
    return ended_by ? `Alerts are on again: ${wakingWords[ended_by]}` : verdict ? said : 'Alerts are on'
  return `Status: ${verdict ? said : statusLabels.undefined}`
}
