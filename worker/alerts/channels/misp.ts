import * as z from 'zod'
import { isCveId } from '../../domain/names/cve'
import { severities, severityLabels, type VulnSeverity } from '../../domain/scores/severity'
import type { AlertFacts } from './facts'
import type { Channel, Line } from './channel'
import { NotTaken, parseAnswer, sendStep, toRequest } from './outgoing'
import { nameUuid } from './uuid'
import { cutText } from '../../domain/words/short-lists'
import { factLine, nameWhole, shortSummary, signText, testTitle } from './words'

const threatLevels: Record<VulnSeverity, string> = {
  critical: '1',
  high: '1',
  medium: '2',
  low: '3',
  unscored: '4',
}
const maxCpes = 50
const maxLinks = 20
/** Other people's attributes and its own finds stand there, too. */
const maxKnown = 2_000_000

type MispMessage = Awaited<ReturnType<typeof eventFor>>
type About = { org_id: number; vuln_id: number; name: string }

const KnownAttribute = z.object({
  uuid: z.string(),
  type: z.string(),
  category: z.string(),
  value: z.string(),
  to_ids: z.boolean(),
  comment: z.string().nullish(),
})
const Level = z.union([z.string(), z.number()]).transform(String)
const Known = z
  .object({
    Event: z.object({
      info: z.string(),
      threat_level_id: Level,
      analysis: Level,
      distribution: Level,
      sharing_group_id: Level.nullish(),
      published: z.boolean(),
      Attribute: z.array(KnownAttribute).default([]),
    }),
  })
  .transform(({ Event }) => Event)
type Known = z.output<typeof Known>

export const misp: Channel<MispMessage> = {
  limit: 1,
  render: ([{ alert }], { now }) => eventFor(alert, now),
  send: async (message, line) => {
    const { event } = message
    const known = await findKnown(event.uuid, line)
    return known ? editEvent(event.uuid, await editFor(message, known), line) : addEvent(event, line)
  },
  test: async (_, line) => {
    const timestamp = seconds(line.now)
    const uuid = await nameUuid(`test ${line.org_id}`)
    const known = await findKnown(uuid, line)
    if (known) return editEvent(uuid, { ...standing(known), uuid, timestamp }, line)
    const date = line.now.toISOString().slice(0, 10)
    return addEvent({ ...emptyEvent, uuid, timestamp, date, info: testTitle }, line)
  },
}

async function findKnown(uuid: string, line: Line) {
  const answer = await call(line, `/events/view/${uuid}`).catch(refuseUnlessMissing)
  return answer && parseAnswer('MISP', Known, answer)
}

/** People decide who reads the event, and how far it is: both are sent as they are, as MISP would change omitted ones. */
const standing = ({ analysis, distribution, sharing_group_id, published }: Known) => ({
  analysis,
  distribution,
  ...(distribution === '4' && sharing_group_id && { sharing_group_id }),
  published,
})

/** Changes by people stay; our additions that no source names any more go. */
async function editFor({ event, about, all }: MispMessage, known: Known) {
  const { uuid, timestamp, info, threat_level_id, Attribute: attributes } = event
  const byId = new Map(known.Attribute.map((attribute) => [attribute.uuid, attribute]))
  const [first] = attributes
  // Before it had a CVE, another name stood there.
  const before = byId.get(first?.uuid ?? '') ?? (await findNamed(known, about))
  const levelBefore = severities.find((severity) => before?.comment?.startsWith(severityLabels[severity]))
  const isOwnLevel = levelBefore !== undefined && threatLevels[levelBefore] === known.threat_level_id
  const signBefore = (levelBefore && signPattern.exec(before?.comment ?? '')?.[1]) ?? ''
  const isOwnInfo = signBefore ? signBefore === (await signText(known.info)) : beginsAsOurs(about, known.info)
  const sign = (text = '') => (isOwnInfo || !signBefore ? text : text.replace(signPattern, ` [${signBefore}]`))
  const changed = attributes.flatMap<object>((attribute) => {
    const stored = byId.get(attribute.uuid)
    if (!stored) return [attribute]
    const isOwnComment = attribute === first && levelBefore !== undefined
    const { to_ids, category } = stored
    return isOwnComment ? [{ ...attribute, comment: sign(attribute.comment), to_ids, category }] : []
  })
  return {
    ...standing(known),
    uuid,
    timestamp,
    info: isOwnInfo ? info : known.info,
    threat_level_id: isOwnLevel ? threat_level_id : known.threat_level_id,
    Attribute: [...changed, ...(await listDropped(about, known, { all, timestamp }))],
  }
}

async function findNamed({ Attribute: all }: Known, about: About) {
  for (const attribute of all)
    if (attribute.type === 'comment' && attribute.uuid === (await attributeId(about, 'comment', attribute.value)))
      return attribute
  return undefined
}

/** The title as we wrote it last. */
const signPattern = / \[([\w-]{8})\]$/
/** As titles did before they were signed. */
const beginsAsOurs = ({ vuln_id, name }: About, title: string) =>
  [name, `PH-${vuln_id}`].some((start) => title.startsWith(`PH-${vuln_id} ${start} `))

/** An attribute whose value people changed is theirs: it has not the name that we gave it. */
async function listDropped(
  about: About,
  known: Known,
  { all, timestamp }: { all: MispMessage['all']; timestamp: string },
) {
  const gone = known.Attribute.filter(({ type, value }) => all.has(type) && !all.get(type)?.has(value))
  const named = await Promise.all(
    gone.map(async (attribute) => ({ attribute, uuid: await attributeId(about, attribute.type, attribute.value) })),
  )
  return named.flatMap(({ attribute: { type, category, value, to_ids }, uuid }) =>
    known.Attribute.some((other) => other.uuid === uuid)
      ? [{ uuid, type, category, value, to_ids, timestamp, deleted: true as const }]
      : [],
  )
}

const emptyEvent = {
  threat_level_id: '4',
  analysis: '2',
  distribution: '0',
  published: false,
  Attribute: [],
  Tag: [{ name: 'tlp:amber' }],
}

function refuseUnlessMissing(error: unknown) {
  if (error instanceof NotTaken && error.answer?.status === 404) return null
  throw error
}

function call({ env, secrets: { url, apikey } }: Line, path: string, body?: object, method?: 'PUT') {
  if (!url || !apikey) throw new NotTaken('The channel has no address or key')
  return sendStep(
    env,
    toRequest({ base: url, path, key: apikey, body, maxAnswer: maxKnown, ...(method && { method }) }),
  )
}

const addEvent = (event: object, line: Line) => call(line, '/events/add', { Event: event })
const editEvent = (uuid: string, event: object, line: Line) =>
  call(line, `/events/edit/${uuid}`, { Event: event }, 'PUT')

const attributeId = ({ org_id, vuln_id }: About, type: string, value: string) =>
  nameUuid(`${org_id} ${vuln_id} ${type} ${value}`)

async function eventFor(alert: AlertFacts, now: Date) {
  const { vuln, org_id, name, headline, severity } = alert
  const [timestamp, about] = [seconds(now), { org_id, vuln_id: vuln.id, name }]
  const attribute = async (type: string, value: string, comment?: string) => ({
    uuid: await attributeId(about, type, value),
    type,
    // Versions of MISP differ on whether a CPE may be an analysis.
    category: type === 'cpe' || type === 'comment' ? 'Other' : 'External analysis',
    value,
    to_ids: false,
    timestamp,
    comment,
  })
  const cpes = new Set(vuln.vulnerable_products)
  const links = new Set([alert.link, ...vuln.reflinks])
  const info = cutText(`${nameWhole(alert, ' ')} ${headline}: ${shortSummary(alert, 500)}`, 500)
  const event = {
    ...emptyEvent,
    uuid: await nameUuid(`${org_id} ${vuln.id}`),
    timestamp,
    date: (vuln.published ?? now.toISOString()).slice(0, 10),
    info,
    threat_level_id: threatLevels[severity],
    Attribute: await Promise.all([
      attribute(isCveId(name) ? 'vulnerability' : 'comment', name, `${factLine(alert)} [${await signText(info)}]`),
      ...[...cpes].slice(0, maxCpes).map((cpe) => attribute('cpe', cpe)),
      ...[...links].slice(0, maxLinks).map((link) => attribute('link', link)),
    ]),
  }
  return {
    event,
    about,
    /** The values by type of which the event lists the first. */
    all: new Map(Object.entries({ comment: new Set([name]), cpe: cpes, link: links })),
  }
}

const seconds = (now: Date) => String(Math.floor(now.getTime() / 1000))
