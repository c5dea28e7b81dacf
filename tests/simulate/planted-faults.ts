export type PlantedFault = { name: string; file: string; from: string; to: string }

/** Mistakes that somebody could make. The simulator must find each, or it proves nothing. */
export const plantedFaults: PlantedFault[] = [
  {
    name: 'what one organization wrote concerns all that watch the product',
    file: 'worker/watchlist/monitored.ts',
    from: '(l.org_id IS NULL OR l.org_id = m.org_id)',
    to: '1',
  },
  {
    name: 'the mark of planning passes a change that was not planned',
    file: 'worker/alerts/plan/plan.ts',
    from: 'THEN ${up_to} END',
    to: 'THEN ${up_to} + 1 END',
  },
  {
    name: 'what one organization settled is settled for all',
    file: 'worker/alerts/plan/plan-alerts.ts',
    from: 'WHERE s.org_id = a.org_id AND s.vuln_id = a.vuln_id',
    to: 'WHERE s.vuln_id = a.vuln_id',
  },
  {
    name: 'what one organization snoozed sleeps for all',
    file: 'worker/alerts/plan/plan-alerts.ts',
    from: 'WHERE z.org_id = a.org_id AND z.vuln_id',
    to: 'WHERE z.vuln_id',
  },
  {
    name: 'a message counts as sent before it is',
    file: 'worker/alerts/deliver/deliver.ts',
    from: '  let answer: ReceiverAnswer\n',
    to: "  await insist(() => recordTaken(db, batch, '', clock()))\n  let answer: ReceiverAnswer\n",
  },
  {
    name: 'a message that was refused once is given up',
    file: 'worker/alerts/deliver/lanes.ts',
    from: 'if (pause_s === undefined) return',
    to: 'if (attempts > 0) return',
  },
  {
    name: 'what a dead worker was sending is never taken again',
    file: 'worker/alerts/deliver/lanes.ts',
    from: "UNION ALL SELECT ${columns} FROM deliveries WHERE status = 'sending' AND lease_until < ${at}",
    to: '',
  },
  {
    name: 'a message goes to the channel of another organization',
    file: 'worker/alerts/deliver/deliver.ts',
    from: 'and(eq(alertChannels.org_id, org_id), eq(alertChannels.channel, channel))',
    to: 'and(eq(alertChannels.channel, channel))',
  },
  {
    name: 'the cursor of NVD moves past what is not published yet',
    file: 'worker/feeds/nvd/nvd.ts',
    from: "return { phase: 'current', origin, through: plusSeconds(through, -overlapSeconds)",
    to: "return { phase: 'current', origin, through: plusSeconds(through, 4 * 3_600)",
  },
  {
    name: 'a feed whose message was lost is never driven again',
    file: 'worker/feeds/run/drive.ts',
    from: '  await redrive(env, db, now)\n',
    to: '',
  },
  {
    name: 'a step writes though another worker has taken it over',
    file: 'worker/feeds/run/claim.ts',
    from: 'sql`CASE WHEN claim = ${claim} THEN claim END`',
    to: 'claim',
  },
  {
    name: 'a merge forgets who watches what it linked',
    file: 'worker/merge/save-records.ts',
    from: '...planned.rewatched, ',
    to: '',
  },
  {
    name: 'a merge moves no counter',
    file: 'worker/merge/plan-counts.ts',
    from: 'writes.counters = deltas.counters.entries().map(([name, { by }]) => [name, by])',
    to: 'writes.counters = []',
  },
  {
    name: 'two merges write over each other',
    file: 'worker/merge/guard-version.ts',
    from: 'value = ${kb_version} ${isUnchanged}',
    to: 'value >= 0',
  },
  {
    name: 'a search forgets what was taken back',
    file: 'migrations/0001_search.sql',
    from: "select new.id, new.cveid, new.summary, new.keywords where new.state <> 'rejected';",
    to: "select new.id, new.cveid, new.summary, new.keywords where new.state <> 'rejected' and old.state <> 'rejected';",
  },
  {
    name: 'a view belongs to whoever names it',
    file: 'worker/views/queries.ts',
    from: 'and(eq(savedViews.org_id, org_id), eq(savedViews.user_id, user_id))',
    to: 'and(sql`${org_id + user_id} > 0`)',
  },
  {
    name: 'comments of all organizations are shown',
    file: 'worker/triage/comments.ts',
    from: '.where(and(eq(comments.org_id, member.org_id), eq(comments.vuln_id, vuln_id)))\n    .orderBy(asc',
    to: '.where(and(eq(comments.vuln_id, vuln_id)))\n    .orderBy(asc',
  },
  {
    name: 'a merge notes no inventory that it touched',
    file: 'worker/watchlist/inventories-due.ts',
    from: '  return [\n    ...bulk(',
    to: '  if (kind) return []\n  return [\n    ...bulk(',
  },
  {
    name: 'a finding that is none any more stays',
    file: 'worker/inventories/rejudge.ts',
    from: 'closed: pairs.filter((pair) => !found.has(toKey(pair)))',
    to: 'closed: []',
  },
]
