import { and, eq, inArray, sql } from 'drizzle-orm'
import type { By } from '../auth/audited-by'
import { abortUnless, isAborted, retryOvertaken } from '../db/guard'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { stamp } from '../db/time'
import { followDecisions } from '../decisions/components'
import { findQuietable, moveDay, refuseQuiet } from '../decisions/quiet'
import { findDecisionSettings } from '../decisions/requests'
import { isActiveMember } from '../decisions/work'
import { writeDecisions, type DecisionBody } from '../decisions/write'
import { users } from '../schema/auth'
import { members } from '../schema/orgs'
import { isWatched } from '../watchlist/monitored'
import { notKnown, findReferences, type Importing, type Numbered, type TakenCounts } from './take-each'
import type { TransferRecord } from './records'

type Decision = TransferRecord<'decision'>
type Place = { vuln_id: number; inventory_id: number; component_id: number }
type Placed = Place & { scope: Decision['scope']; decision: DecisionBody }

/** Decisions made here stand, also a colleague's of meanwhile. The importer answers for what is added, with the days and reasons of the file. */
export const takeDecisions = (scene: Importing, records: Numbered<'decision'>[]) =>
  retryOvertaken({ attempts: 5, isOvertaken: (error) => isAborted(error, 'decisions') }, () =>
    takeUndecided(scene, records),
  )

async function takeUndecided({ db, by }: Importing, records: Numbered<'decision'>[]): Promise<TakenCounts> {
  const { org_id, user_id } = by.actor
  const known = await findKnown({ db, by }, records)
  const outcome: TakenCounts = { added: 0, already: 0, left: [] }
  const placed = new Map<string, Placed>()
  for (const { line, record } of records) {
    const leave = (reason: string) => outcome.left.push({ line, name: record.vulnerability, reason })
    const place = findPlace(known, record)
    if (typeof place === 'string') {
      leave(place)
      continue
    }
    const key = toKey(record.scope, place)
    const decision = known.standing.has(key) || placed.has(key) ? null : decide(known, record, place, by)
    if (typeof decision === 'string') leave(decision)
    else if (decision === null) outcome.already++
    else placed.set(key, { ...place, scope: record.scope, decision })
  }
  const added = [...placed.values()]
  const deciding = { org_id, user_id, now: by.now }
  const components = added.filter(({ scope }) => scope === 'component')
  const statements = [
    statement(db, abortUnless(areUndecided(org_id, added), 'decisions')),
    ...[...Map.groupBy(added, ({ scope }) => scope)].flatMap(([scope, changes]) =>
      writeDecisions(db, scope, changes, deciding),
    ),
    ...[...Map.groupBy(components, ({ inventory_id }) => inventory_id)].flatMap(([inventory_id, changes]) =>
      followDecisions(db, { org_id, inventory_id }, changes, by.now),
    ),
  ]
  if (added.length) await db.$client.batch(statements)
  return { ...outcome, added: added.length }
}

function areUndecided(org_id: number, added: Placed[]) {
  const places = added.map(({ scope, vuln_id, inventory_id, component_id }) => [
    scope,
    vuln_id,
    inventory_id,
    component_id,
  ])
  return sql`NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(places)}) p CROSS JOIN decisions d ON d.vuln_id = p.value ->> 1
    AND d.org_id = ${org_id} AND d.scope = p.value ->> 0 AND d.inventory_id = p.value ->> 2 AND d.component_id = p.value ->> 3 AND d.author = '')`
}

const toKey = (scope: string, { vuln_id, inventory_id, component_id }: Place) =>
  [scope, vuln_id, inventory_id, component_id].join(' ')

type Known = Awaited<ReturnType<typeof findKnown>>

/** Where it belongs, or why nowhere. */
function findPlace({ references, components }: Known, record: Decision): Place | string {
  const vuln_id = references.get(record.vulnerability)
  if (vuln_id === undefined) return notKnown
  if (record.scope !== 'component') return { vuln_id, inventory_id: 0, component_id: 0 }
  const part = components.get(toPart(record.inventory, record.component))
  return part ? { vuln_id, ...part } : `No inventory ${record.inventory} here has the component ${record.component}`
}

const isOver = 'Its last day is over'

/** The decision as it is stored, or why it cannot be taken. */
function decide(known: Known, record: Decision, place: Place, by: By): DecisionBody | string {
  const [at, now] = [stamp(new Date(record.decided_at)), stamp(by.now)]
  const said = { decided_at: at < now ? at : now, user_id: by.actor.user_id }
  if (record.scope === 'alerts' || record.scope === 'request') return decideQuiet(known, record, place, { ...by, said })
  if (record.scope === 'component' && !known.findings.has(toKey('', place)))
    return 'Not found in this component here, or it is still being compared: import again later'
  if (record.scope !== 'component' && !known.monitored.has(place.vuln_id))
    return 'Not monitored here, or it is still being compared: import again later'
  if (record.scope === 'assignee') {
    const owner_id = known.people.get(record.owner.toLowerCase())
    return owner_id === undefined
      ? `No member here has the address ${record.owner}`
      : { ...said, verdict: 'assigned', owner_id }
  }
  const { status: verdict, expires_at, ...reason } = record.decision
  const last_day = expires_at || null
  return last_day !== null && last_day < now.slice(0, 10) ? isOver : { ...said, ...reason, verdict, last_day }
}

type Quieting = Extract<Decision, { scope: 'alerts' | 'request' }>
type Said = Pick<DecisionBody, 'decided_at' | 'user_id'>

function decideQuiet(known: Known, { scope, owner, decision }: Quieting, { vuln_id }: Place, by: By & { said: Said }) {
  const { kind, until, reason, owner_id: _, ...ends } = decision
  if (until !== undefined && until <= stamp(by.now).slice(0, 10)) return isOver
  const vuln = known.quietable.get(vuln_id)
  const refusal = vuln && refuseQuiet(vuln, decision, by)
  if (refusal) return refusal.issues?.[0]?.message ?? refusal.message
  if (scope === 'request' && kind !== 'accepted') return 'Only accepting a risk is asked for'
  if (scope === 'alerts' && kind === 'accepted' && known.needs_approver)
    return 'Accepting a risk needs an approver here: ask for it anew'
  const owner_id = kind === 'accepted' ? (known.people.get(owner?.toLowerCase() ?? '') ?? by.actor.user_id) : null
  const last_day = until === undefined ? null : moveDay(until, -1)
  return { ...by.said, verdict: kind, note: reason, last_day, owner_id, ...ends }
}

/** All that decides whether a record can be taken. */
async function findKnown({ db, by }: Importing, records: Numbered<'decision'>[]) {
  const { org_id } = by.actor
  const all = records.map(({ record }) => record)
  const names = all.map(({ vulnerability }) => vulnerability)
  const references = await findReferences(db, org_id, names)
  const ids = [...new Set(references.values())]
  const named = sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`
  const components = await findComponents(db, org_id, all)
  const here = JSON.stringify([...new Set([...components.values()].map(({ inventory_id }) => inventory_id))])
  const standing = await db.all<Place & { scope: string }>(sql`
    SELECT scope, vuln_id, inventory_id, component_id FROM decisions
    WHERE vuln_id IN ${named} AND org_id = ${org_id} AND author = ''`)
  const monitored = await db.all<{ id: number }>(
    sql`SELECT vulns.id FROM vulns WHERE vulns.id IN ${named} AND ${isWatched(sql`${org_id}`, sql`vulns.id`)}`,
  )
  const findings = await db.all<Place>(sql`
    SELECT vuln_id, inventory_id, component_id FROM inventory_findings
    WHERE org_id = ${org_id} AND inventory_id IN (SELECT value FROM json_each(${here})) AND vuln_id IN ${named}`)
  const quietable = await findQuietable(db, org_id, ids, by.now)
  return {
    references,
    components,
    standing: new Set(standing.map((decision) => toKey(decision.scope, decision))),
    monitored: new Set(monitored.map(({ id }) => id)),
    findings: new Set(findings.map((place) => toKey('', place))),
    quietable: new Map(quietable.map((vuln) => [vuln.id, vuln])),
    people: await findPeople(db, org_id, all),
    ...(await findDecisionSettings(db, org_id)),
  }
}

const toPart = (inventory: string, component: string) => `${inventory}\n${component}`

async function findComponents(db: Db, org_id: number, all: Decision[]) {
  const named = all.flatMap((decision) => (decision.scope === 'component' ? [decision] : []))
  if (!named.length) return new Map<string, Omit<Place, 'vuln_id'>>()
  const [names, keys] = [
    JSON.stringify([...new Set(named.map(({ inventory }) => inventory))]),
    JSON.stringify([...new Set(named.map(({ component }) => component))]),
  ]
  const found = await db.all<{ name: string; key: string; inventory_id: number; component_id: number }>(sql`
    SELECT i.name, c.key, c.inventory_id, c.id AS component_id FROM inventories i
    CROSS JOIN inventory_components c ON c.org_id = i.org_id AND c.inventory_id = i.id
    WHERE i.org_id = ${org_id} AND i.removed_at IS NULL AND i.name IN (SELECT value FROM json_each(${names}))
      AND c.key IN (SELECT value FROM json_each(${keys}))`)
  return new Map(
    found.map(({ name, key, inventory_id, component_id }) => [toPart(name, key), { inventory_id, component_id }]),
  )
}

/** Members by their addresses; nobody else is named by a file. */
async function findPeople(db: Db, org_id: number, all: Decision[]) {
  const named = all.flatMap((decision) => ('owner' in decision && decision.owner ? [decision.owner.toLowerCase()] : []))
  const json = JSON.stringify([...new Set(named)])
  const found = await db
    .select({ id: users.id, email: users.email })
    .from(members)
    .innerJoin(users, eq(users.id, members.user_id))
    .where(
      and(isActiveMember(org_id), inArray(sql`lower(${users.email})`, sql`(SELECT value FROM json_each(${json}))`)),
    )
  return new Map(found.map(({ id, email }) => [email.toLowerCase(), id]))
}
