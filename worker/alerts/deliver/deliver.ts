import { errorText, noteError } from '../../db/error-text'
import type { Db } from '../../db/open'
import { isAnyDue } from '../../db/leases'
import { findKind } from '../../domain/alerts/alert-rules'
import type { Env } from '../../env'
import { Failure } from '../../http/errors'
import { insist, isSpent, sendWithin } from '../../mail/drive'
import { openTransport } from '../../mail/transport'
import { alertChannels, isRoute } from '../../schema/alerts'
import type { Line, Telling, Tellings } from '../channels/channel'
import { NotTaken, shownAnswer, type ReceiverAnswer } from '../channels/outgoing'
import { channels } from '../channels/registry'
import { openSecrets } from '../channels/secrets'
import { findQuiet, noteFailure, noteSuccess, retriesAfter } from '../channels/health'
import { tellUnreached } from '../channels/unreached'
import { labelRoute } from '../channels/words'
import { claimLanes, recordRefused, recordTaken, recordUnwanted, releaseLane, slow_ms } from './lanes'
import type { ClaimedDelivery } from './lanes'
import { signLinks } from '../acknowledge/acknowledge'
import { describeAlert, type AlertSource } from '../channels/facts'
import { openIncidents } from './incidents'
import { findAlertSource } from './alert-source'
import { isStandIn } from '../rota/duty'
import { passOnMails, suppressUnwanted } from './still-wanted'

/** Six connections may be open at once, one is for other mails; receivers that fail already have two of the five at most. */
const maxima = { lanes: 5, failing: 2 }
/** While some lane waits for its receiver, others are looked for so often, and for so long. */
const look_ms = 800
const maxLooking_ms = 90_000
/** Taken messages are sent while so many, and these for each alert, are left. */
const spentQueries = 900
const queriesPerAlert = 16
/** Narrow looks see the oldest of a backlog alone: urgent ones behind it wait no longer than this. */
const wideEvery_ms = 5_000
/** So many alerts stand in one mail of an hour or a day. */
const maxDigest = 40

type Scene = {
  env: Env
  db: Db
  clock: () => Date
  sources: Map<number, Promise<AlertSource | null>>
  /** Queries that running lanes may need still, and whether some lane found too few left. */
  kept: { queries: number; isFull: boolean }
}

/** Each lane is sent by itself: a receiver that hangs holds up no other. */
export async function deliverDue(env: Env, db: Db, clock: () => Date) {
  await passOnMails(db, clock())
  await suppressUnwanted(db, clock())
  const running = new Map<string, Promise<void>>()
  try {
    await runLanes({ env, db, clock, sources: new Map(), kept: { queries: 0, isFull: false } }, running)
  } finally {
    // Sends under way end and are recorded, also where the database does not answer for later ones.
    await Promise.all(running.values())
  }
}

async function runLanes(scene: Scene, running: Map<string, Promise<void>>) {
  const { db, clock, kept } = scene
  const failing = new Set<string>()
  const until = Date.now() + maxLooking_ms
  let nextWide = Date.now()
  let [isHandedOver, isLate] = [false, false]
  for (;;) {
    const isOver = Date.now() > until || isSpent(db) || kept.isFull
    const isWide = Date.now() >= nextWide
    const free = { healthy: maxima.lanes - running.size, failing: Math.max(0, maxima.failing - failing.size), isWide }
    const isTaking = !isOver && free.healthy > 0
    if (isTaking && isWide) nextWide = Date.now() + wideEvery_ms
    const claimed = isTaking ? await claimLanes(db, [...running.keys()], free, clock()) : []
    for (const [lane, taken] of Map.groupBy(claimed, (delivery) => delivery.lane)) {
      if (taken.some(({ attempts }) => attempts > 1)) failing.add(lane)
      const work = runLane(scene, taken).finally(() => {
        running.delete(lane)
        failing.delete(lane)
      })
      running.set(lane, work)
    }
    // Sends under way here may wait long for their receivers: the next invocation has places of its own.
    const isStuck = isLate && running.size === maxima.lanes
    isHandedOver ||= (isOver || isStuck) && (await driveOn(scene))
    if (!running.size && (isWide || !isTaking)) return
    if (!running.size) nextWide = 0
    else isLate = await Promise.race([...running.values()].map((work) => work.then(() => false)).concat(pause(look_ms)))
  }
}

/** The next invocation goes on where this one stopped, if there is anything left. */
async function driveOn({ env, db, clock }: Scene) {
  const isDue = await isAnyDue(db, 'deliveries', clock())
  if (isDue) await env.DELIVERIES.send({ reason: 'due' })
  return isDue
}

const pause = (ms: number) => new Promise<boolean>((resolve) => setTimeout(resolve, ms, true))

async function runLane(scene: Scene, claimed: ClaimedDelivery[]) {
  const [first] = claimed
  if (!first) return
  const { env, db, clock } = scene
  const transport = openTransport(env)
  try {
    const route = await findRouteFields(scene, first)
    const kind = findKind(first.channel)
    const limit = kind === 'email' && first.digest ? maxDigest : channels[kind].limit
    for (let at = 0; at < claimed.length; at += limit) {
      const batch = claimed.slice(at, at + limit)
      const { org_id } = batch[0] ?? first
      const began = Date.now()
      const isSent = await withQueries(scene, batch.length * queriesPerAlert, () =>
        deliverBatch(scene, batch, { env, db, org_id, ...route, transport, now: clock() }),
      )
      if (!isSent) {
        await releaseLane(db, claimed.slice(at))
        return
      }
      // A hanging receiver gives its place to others after each message.
      if (Date.now() - began < slow_ms) continue
      await releaseLane(db, claimed.slice(at + limit))
      return
    }
  } catch (error) {
    // Nothing of ours is wrong with a receiver: the rest is tried again when its lease is out.
    noteError({ job: 'deliveries', channel: first.channel, org_id: first.org_id }, error)
  } finally {
    await transport.close().catch((error: unknown) => noteError({ job: 'close_mail' }, error))
  }
}

/** A message that was taken and cannot be recorded would be sent again: none is begun without queries left for it. */
async function withQueries({ db, kept }: Scene, queries: number, work: () => Promise<void>) {
  if (db.meter.queries + kept.queries + queries > spentQueries) {
    kept.isFull = true
    return false
  }
  kept.queries += queries
  await work().finally(() => (kept.queries -= queries))
  return true
}

/** Fields of the route of a lane alone. */
async function findRouteFields({ env, db }: Scene, { org_id, channel }: ClaimedDelivery) {
  if (channel === 'email') return { secrets: {}, template: '' }
  const stored = await db
    .select({ secrets: alertChannels.secrets, template: alertChannels.template })
    .from(alertChannels)
    .where(isRoute({ org_id, channel }))
    .get()
  return { secrets: await openSecrets(env, stored?.secrets ?? ''), template: stored?.template ?? '' }
}

/** Deliveries of one message are sent, or not, together. */
async function deliverBatch(scene: Scene, claimed: ClaimedDelivery[], line: Line) {
  const { env, db, clock } = scene
  const deliverable = await findDeliverable(scene, claimed)
  const [first, ...others] = deliverable
  if (!first) return
  const batch = deliverable.map(({ delivery }) => delivery)
  const { org_id, channel, target } = first.delivery
  let answer: ReceiverAnswer
  try {
    const tellings: Tellings = [toTelling(first), ...others.map(toTelling)]
    answer = await sendWithin(() => channels[findKind(channel)].deliver(tellings, line))
  } catch (error) {
    if (batch.length > 1 && isTooMuch(error)) {
      const half = Math.ceil(claimed.length / 2)
      await deliverBatch(scene, claimed.slice(0, half), line)
      return deliverBatch(scene, claimed.slice(half), line)
    }
    const refusal = { ...describeRefusal(error), quiet: await findQuiet(db, { org_id, channel }) }
    const wait_s = await insist(() => recordRefused(db, batch, refusal, clock()))
    await noteFailure(env, db, { org_id, channel, message: refusal.message, isGone: refusal.isGone }, clock())
    const tries = retriesAfter(channel, refusal.message).length
    const given_up = batch.flatMap(({ id, attempts }) => (attempts > tries ? [id] : []))
    if (target && given_up.length)
      await tellUnreached(env, db, { org_id, target, message: refusal.message, given_up }, clock())
    if (wait_s !== null && wait_s < 60)
      await env.DELIVERIES.send({ reason: 'due' }, { delaySeconds: Math.ceil(wait_s) + 1 })
    return
  }
  // It is sent: a record that fails must not send it again, so it is tried on its own.
  if (channels[findKind(channel)].follow) await insist(() => openIncidents(db, batch))
  await insist(() => recordTaken(db, batch, shownAnswer(answer), clock()))
  await noteSuccess(db, { org_id, channel, target }, clock())
}

const toTelling = ({ delivery: { id, digest, target }, alert }: Deliverable): Telling => ({
  delivery_id: id,
  first_id: Number(digest.split('/')[1] ?? id),
  target,
  alert,
})

type Deliverable = Awaited<ReturnType<typeof findDeliverable>>[number]

/** A vulnerability gone since the planning is told to nobody; an unreadable one is tried again later, and holds up no other. */
async function findDeliverable(scene: Scene, claimed: ClaimedDelivery[]) {
  const unreadable: ClaimedDelivery[] = []
  const found = await Promise.all(
    claimed.map(async (delivery) => {
      try {
        const source = await findOnce(scene, delivery.alert_id)
        return { delivery, alert: source && (await describeFor(scene, source, delivery)) }
      } catch (error) {
        if (error instanceof Failure && error.status === 404) return { delivery, alert: null }
        noteError({ job: 'deliveries', org_id: delivery.org_id, alert_id: delivery.alert_id }, error)
        scene.sources.delete(delivery.alert_id)
        unreadable.push(delivery)
        return null
      }
    }),
  )
  if (unreadable.length) await insist(() => recordRefused(scene.db, unreadable, unreadableRefusal, scene.clock()))
  const readable = found.filter((delivery) => delivery !== null)
  const gone = readable.flatMap(({ delivery, alert }) => (alert ? [] : [delivery]))
  if (gone.length) await recordUnwanted(scene.db, gone, 'The vulnerability was removed')
  return readable.flatMap(({ delivery, alert }) => (alert ? [{ delivery, alert }] : []))
}

async function describeFor({ env, db, clock }: Scene, source: AlertSource, delivery: ClaimedDelivery) {
  const { rule, escalated_from } = delivery
  const links = await signLinks(env, db, source, delivery)
  const alert = describeAlert(source, rule, env.APP_URL, links)
  const came = [
    ...(escalated_from ? [`Nobody acknowledged it at ${labelRoute(escalated_from)}`] : []),
    ...((await isStandIn(db, delivery, clock())) ? ['Nobody is on duty by the rota of this receiver'] : []),
  ]
  return { ...alert, came }
}

const unreadableRefusal = { message: 'Earshot could not write this message', answer: null, wait_s: null }

/** Many channels tell of the same alert. */
function findOnce({ db, clock, sources }: Scene, alert_id: number) {
  const found = sources.get(alert_id) ?? findAlertSource(db, alert_id, clock())
  sources.set(alert_id, found)
  return found
}

/** One of several alerts may be what a receiver does not take, or all together are too large for it: each half is tried by itself. */
const isTooMuch = (error: unknown) => error instanceof NotTaken && [400, 413, 422].includes(error.answer?.status ?? 0)

function describeRefusal(error: unknown) {
  const message = errorText(error)
  if (!(error instanceof NotTaken)) return { message, answer: null, wait_s: null, isGone: false }
  const { answer, wait_s } = error
  return { message, answer: answer && shownAnswer(answer), wait_s, isGone: answer?.status === 410 }
}
