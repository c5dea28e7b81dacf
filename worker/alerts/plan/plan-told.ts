import type { Db } from '../../db/open'
import type { Fired } from '../../domain/alerts/alert-judge'
import type { AlertRule } from '../../domain/alerts/alert-rules'
import { findAskedContext } from '../judge-context'
import { readChanged, type ChangedVuln } from './changed-vulns'
import type { Concern } from './concerns'
import { decidePlan } from './decide'
import { findTakers, type LastMessage } from './takers'

/** News with a number in the place of an entry of the change log; without `triggered`, its rule alone. */
export type Told = { vuln_id: number; seq: number; rule: AlertRule; triggered?: Fired; quiet?: Concern['quiet'] }

type ToldPlace = { org_id: number; messages?: Map<string, LastMessage> }

/** Plans what no change brings, for one organization; each vulnerability once. With the last `messages` on them, routes that ask for verdicts take it alone. */
export async function planTold(db: Db, { org_id, messages }: ToldPlace, told: Told[], now: Date) {
  const entries = told.map(({ vuln_id, seq, triggered }) => {
    // News that turned urgent stands in the ledger and the bell, whether or not a channel takes it.
    return { vuln_id, seq, kind: triggered?.rules.length ? 'updated' : 'minor', detail: '[]' }
  })
  const [read, takers] = await Promise.all([readChanged(db, entries), findTakers(db, [{ org_id }], now)])
  const concerns = told.map((news) => toConcern(org_id, news))
  return decidePlan({
    now,
    changed: new Map(told.flatMap((news) => withTriggered(read.get(news.vuln_id), news))),
    concerns,
    takers,
    isAsked: ({ verdicts }) => !messages || verdicts.length > 0,
    contexts: await findAskedContext(db, takers, concerns, now),
    messages: messages ?? new Map(),
    is_merged: told.length > 1,
  })
}

const withTriggered = (vuln: ChangedVuln | undefined, { rule, ...told }: Told): [number, ChangedVuln][] => {
  const triggered = told.triggered ?? { rules: [rule], from: { score: null, cvss: null, cvss3: null } }
  return vuln ? [[vuln.id, { ...vuln, triggered: { known: triggered, new: triggered } }]] : []
}

const toConcern = (org_id: number, { vuln_id, rule, quiet = null }: Told): Concern => ({
  org_id,
  vuln_id,
  is_new: 0,
  heard: null,
  quiet,
  alert_id: null,
  change_seq: 0,
  last_seq: 0,
  rule,
  fired: 0,
  planned: '{}',
  saw: '',
  suppressed: null,
  score_from: null,
  cvss_from: null,
  cvss3_from: null,
})
