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
    from: 'THEN ${run.up_to} ELSE',
    to: 'THEN ${run.up_to} + 1 ELSE',
  },
  {
    name: 'what one organization settled is settled for all',
    file: 'worker/schema/decisions.ts',
    from: 'AND s.org_id = ${org_id} AND s.scope',
    to: 'AND s.scope',
  },
  {
    name: 'what one organization snoozed sleeps for all',
    file: 'worker/alerts/plan/concerns.ts',
    from: 'z.vuln_id = n.vuln_id AND z.org_id = n.org_id AND',
    to: 'z.vuln_id = n.vuln_id AND',
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
    from: 'plusSeconds(through, -shortOverlapSeconds)',
    to: 'plusSeconds(through, 4 * 3_600)',
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
    from: "sql`CASE WHEN claim = ${claim} THEN claim ELSE ${abort('feed claim')} END`",
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
    file: 'worker/exposure/note-due.ts',
    from: '  return [\n    ...bulk(',
    to: '  if (kind) return []\n  return [\n    ...bulk(',
  },
  {
    name: 'a finding that is none any more stays',
    file: 'worker/exposure/judge-due.ts',
    from: 'closed: pairs.filter((pair) => !found.has(toKey(pair)))',
    to: 'closed: []',
  },
  {
    name: 'planning holds back who waits when it writes, not when it has read',
    file: 'worker/alerts/plan/waits.ts',
    from: 'FROM json_each(${JSON.stringify(held)}) w\n',
    to: 'FROM (SELECT org_id AS value FROM (${dueOrgs})) w\n',
  },
  {
    name: 'the lease of a message is shorter than its sending',
    file: 'worker/alerts/deliver/lanes.ts',
    from: '(perLane.one * slow_ms + tryTimeoutMs) / 1000 + 40',
    to: '0',
  },
]
