import type { VulnSeverity } from '../../domain/severity'
import type { Channel, Line, Telling } from './channel'
import { NotTaken, sendStep } from './outgoing'
import { nameUuid } from './uuid'
import { cutText, factLine, testTitle } from './words'

type Attribute = {
  uuid: string
  type: 'vulnerability' | 'cpe' | 'link' | 'comment'
  category: string
  value: string
  to_ids: false
  timestamp: string
  comment?: string
}
type MispEvent = {
  uuid: string
  info: string
  date: string
  timestamp: string
  threat_level_id: '1' | '2' | '3' | '4'
  analysis: '2'
  distribution: '0'
  published: false
  Attribute: Attribute[]
  Tag: { name: string }[]
}

const threatLevels: Record<VulnSeverity, MispEvent['threat_level_id']> = {
  critical: '1',
  high: '1',
  medium: '2',
  low: '3',
  unscored: '4',
}
const maxCpes = 50
const maxLinks = 20

export const misp: Channel<MispEvent> = {
  limit: 1,
  render: async ([telling], { now }) => {
    if (!telling) throw new Error('Nothing to tell')
    return eventFor(telling, now)
  },
  send: async (event, line) => {
    const known = await call(line, `/events/view/${event.uuid}`, { method: 'GET' }).catch(refuseUnlessMissing)
    return known
      ? call(line, `/events/edit/${event.uuid}`, { method: 'PUT', body: { Event: event } })
      : call(line, '/events/add', { method: 'POST', body: { Event: event } })
  },
  test: async (_, line) => {
    const timestamp = seconds(line.now)
    const uuid = await nameUuid(`test ${line.org_id}`)
    const event: MispEvent = {
      ...emptyEvent,
      uuid,
      timestamp,
      date: line.now.toISOString().slice(0, 10),
      info: testTitle,
    }
    return misp.send(event, line)
  },
}

const emptyEvent = {
  threat_level_id: '4',
  analysis: '2',
  distribution: '0',
  published: false,
  Attribute: [],
  Tag: [{ name: 'tlp:amber' }],
} as const satisfies Partial<MispEvent> as Pick<
  MispEvent,
  'threat_level_id' | 'analysis' | 'distribution' | 'published' | 'Attribute' | 'Tag'
>

function refuseUnlessMissing(error: unknown) {
  if (error instanceof NotTaken && error.answer?.status === 404) return null
  throw error
}

type Request = { method: 'GET' } | { method: 'POST' | 'PUT'; body: object }

function call({ env, secrets: { url, apikey } }: Line, path: string, request: Request) {
  if (!url || !apikey) throw new NotTaken('The channel has no address or key')
  const headers = { 'content-type': 'application/json', accept: 'application/json', authorization: apikey }
  const to = `${url.replace(/\/+$/, '')}${path}`
  const { method } = request
  return sendStep(env, { url: to, method, headers, ...('body' in request && { body: JSON.stringify(request.body) }) })
}

async function eventFor({ alert }: Telling, now: Date): Promise<MispEvent> {
  const { vuln, org_id, name, headline, severity } = alert
  const timestamp = seconds(now)
  const attribute = async (type: Attribute['type'], value: string, comment?: string): Promise<Attribute> => ({
    uuid: await nameUuid(`${org_id} ${vuln.id} ${type} ${value}`),
    type,
    // Versions of MISP differ on whether a CPE may be an analysis.
    category: type === 'cpe' || type === 'comment' ? 'Other' : 'External analysis',
    value,
    to_ids: false,
    timestamp,
    ...(comment && { comment }),
  })
  const cpes = [...new Set(vuln.vulnerable_products)].slice(0, maxCpes)
  const links = [...new Set([alert.link, ...vuln.reflinks])].slice(0, maxLinks)
  return {
    ...emptyEvent,
    uuid: await nameUuid(`${org_id} ${vuln.id}`),
    timestamp,
    date: (vuln.published ?? now.toISOString()).slice(0, 10),
    info: cutText(`PH-${vuln.id} ${name} ${headline}: ${vuln.summary.replace(/\s+/g, ' ')}`, 500),
    threat_level_id: threatLevels[severity],
    Attribute: await Promise.all([
      attribute('vulnerability', name, factLine(alert)),
      ...cpes.map((cpe) => attribute('cpe', cpe)),
      ...links.map((link) => attribute('link', link)),
    ]),
  }
}

const seconds = (now: Date) => String(Math.floor(now.getTime() / 1000))
