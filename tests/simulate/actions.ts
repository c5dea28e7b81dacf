import type { CallAnswer, Organization } from './organizations.ts'
import { aBom, watchedProducts } from './knowledge.ts'
import type { SeededChance } from './scheduler.ts'
import type { SimulatedWorld } from './world.ts'

/** `chance` belongs to the event, so that others may be left out. */
export type ActionScene = {
  world: SimulatedWorld
  organizations: Organization[]
  chance: SeededChance
  /** Also those that are gone. */
  everybody: () => Organization[]
  /** Names of organizations that came after the first. */
  founded: Set<string>
}
export type Act = (scene: ActionScene, org: Organization) => Promise<CallAnswer | undefined>
type Rows = { results: { id: number; cveid?: string | null; name?: string }[] }

const anyVuln = async (org: Organization, { chance }: ActionScene) => {
  const found = (await org.call('GET', '/api/vulns/?monitored=true&limit=20'))?.json<Rows>().results ?? []
  return found.length ? chance.pick(found).id : 1
}
const anyOther = ({ chance, organizations }: ActionScene, org: Organization) =>
  chance.pick(organizations.filter((one) => one !== org))

/** At the same time: one of both, or both where both may. */
export async function twice(call: () => Promise<CallAnswer>) {
  const [one] = await Promise.all([call(), call()])
  return one
}
/** Addresses of strangers; an organization on trial writes to ten in all. */
export const aHandful = ({ chance }: ActionScene, org: Organization) =>
  Array.from({ length: 6 }, () => `n${chance.int(1, 1_000_000)}@${org.name}.test`)

/** What people do; each is one or two calls. */
export const actions: Record<string, Act> = {
  monitors: ({ chance }, org) => org.monitors(chance.pick(watchedProducts)),
  'monitors no more': ({ chance }, org) => org.monitors(chance.pick(watchedProducts), false),
  'monitors a package': ({ chance }, org) => org.monitorsPackage(chance.int(1, 3) > 1),
  'says its versions': async ({ chance }, org) => {
    const items = (await org.call('GET', '/api/monitor/items/products'))?.json<Rows>().results ?? []
    if (!items.length) return undefined
    const versions = [`${chance.int(1, 4)}.${chance.int(0, 5)}`]
    return org.call('POST', '/api/monitor/items', {
      kind: 'product',
      items: [{ id: chance.pick(items).id, versions }],
    })
  },
  'uploads an inventory': async ({ chance }, org) => {
    const [name, bom] = [chance.pick(['shop', 'desk']), aBom(chance, org.secret)]
    org.documents.delete(name)
    const answer = await org.call('PUT', `/api/inventories/${name}`, bom)
    if (answer?.status === 200) org.documents.set(name, bom)
    return answer
  },
  'removes an inventory': (_, org) => {
    org.documents.delete('desk')
    return org.call('DELETE', '/api/inventories/desk')
  },
  'sets a status': async (scene, org) => {
    const status = scene.chance.pick(['undefined', 'in_progress', 'not_interesting', 'fixed'])
    return org.call('POST', `/api/vulns/${await anyVuln(org, scene)}/status/edit`, { status })
  },
  snoozes: async (scene, org) =>
    org.call('POST', `/api/vulns/${await anyVuln(org, scene)}/snooze`, {
      // A vulnerability in KEV is exploited.
      ...(scene.chance.int(1, 2) === 1 && { on_kev: true, on_exploit: true }),
      until: '2030-01-01',
    }),
  'wakes up': async (scene, org) => org.call('DELETE', `/api/vulns/${await anyVuln(org, scene)}/snooze`),
  comments: async (scene, org) => {
    const path = `/api/vulns/${await anyVuln(org, scene)}/comments`
    const body = `We look: ${org.secret}, ${scene.chance.int(1, 1_000_000)}`
    const made = await org.call('POST', path, { body })
    const seen = await org.call('GET', path)
    if (made?.status === 201 && seen?.status === 200 && !seen.text.includes(body))
      scene.world.problems.push(`${org.name} does not see the comment that it has just made`)
    return seen
  },
  'writes a vulnerability': (_, org) =>
    org.call('POST', '/api/vulns/add', { summary: `Our own flaw, ${org.secret}`, products: ['acme:widget'] }),
  // Pressed twice.
  'saves a view': async ({ chance }, org) => {
    const view = { name: `View ${chance.int(1, 99)}`, query: `q=${org.secret}`, is_shared: true }
    return twice(() => org.call('POST', '/api/views/', view))
  },
  'saves many views': ({ chance }, org) =>
    twice(() => org.call('POST', '/api/views/', { name: `View ${chance.int(100, 9_999)}`, query: '' })),
  'removes a view': async ({ chance }, org) => {
    const views = (await org.call('GET', '/api/views/'))?.json<{ id: number }[]>() ?? []
    return views.length ? org.call('DELETE', `/api/views/${chance.pick(views).id}/`) : undefined
  },
  'reads lists': async (scene, org) => {
    const path = scene.chance.pick([
      '/api/vulns/?search=widget',
      '/api/vulns/stats/monitored',
      '/api/vulns/latest',
      '/api/alerts/',
      '/api/inventories/',
      '/api/audit/',
      '/api/monitor/items/products',
      '/api/exploits/',
      '/api/reports/',
      '/api/alerts/proof/',
      '/api/vulns/export/csv?monitored=true',
      '/api/inventories/shop/export/csv',
      '/api/monitor/export/products',
      '/api/decisions/accepted/export/csv',
    ])
    return org.call('GET', path)
  },
  'reads its feed': async ({ world }, org) => {
    const made = await org.call('POST', '/api/alerts/feeds/', {})
    if (made?.status !== 201) return made
    const { pathname, search } = new URL(made.json<{ atom_url: string }>().atom_url)
    await world.later(60_000)
    return org.send('GET', pathname + search, {})
  },
  'moves its receiver': ({ chance }, org) => org.takesAlerts(`hook${chance.int(1, 3)}`),
  'takes no alerts for a while': async ({ world, chance }, org) => {
    const answer = await org.call('DELETE', '/api/alerts/channels/webhook/')
    await world.later(chance.int(1, 60) * 60_000)
    await org.takesAlerts()
    return answer
  },
  'is hostile': async (scene, org) => {
    const target = anyOther(scene, org)
    const theirs = scene.world.rows<{ id: number }>(
      'SELECT v.id FROM saved_views v JOIN orgs o ON o.id = v.org_id WHERE o.name = ?',
      target.name,
    )
    if (!theirs.length) return undefined
    const path = `/api/views/${scene.chance.pick(theirs).id}/`
    const answer = await org.call(scene.chance.pick(['PUT', 'DELETE']), path, { name: 'Taken' })
    if (answer && answer.status < 400) scene.world.problems.push(`${org.name} changes a view of ${target.name}`)
    return answer
  },
  'sends details to strangers': async (scene, org) => {
    const path = `/api/vulns/${await anyVuln(org, scene)}/export/email`
    return twice(() => org.call('POST', path, { emails: aHandful(scene, org) }))
  },
  'makes tokens': async (_, org) => {
    const made = await twice(() => org.call('POST', '/users/tokens', { name: 'script', scope: 'read' }))
    if (made?.status === 201) org.tokens.push(made.json<{ token: string }>().token)
    return made
  },
  'makes and drops a token': async (_, org) => {
    const made = await org.call('POST', '/users/tokens', { name: 'script', scope: 'read' })
    const id = made?.status === 201 ? made.json<{ id: number }>().id : undefined
    return id === undefined ? made : org.call('DELETE', `/users/tokens/${id}`)
  },
}
