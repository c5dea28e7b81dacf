import { aBom, watchedProducts } from './knowledge.ts'
import { commonPassword, Organization, readAnswer } from './organizations.ts'
import type { CallAnswer, SimulatedPerson } from './organizations.ts'
import type { SeededChance } from '../support/seeded-chance.ts'
import type { SimulatedWorld } from './world.ts'

/** `chance` belongs to the event, so that others may be left out. */
type Scene = { world: SimulatedWorld; chance: SeededChance }
type Act = (scene: Scene, org: Organization) => unknown

async function aVuln({ chance }: Scene, org: Organization) {
  const found = await org.list('/api/vulns/?monitored=true&limit=20')
  return `/api/vulns/${found.length ? chance.pick(found).id : 1}`
}

/** At the same time: one of both, or both where both may. */
const twice = async (call: () => Promise<CallAnswer>) => (await Promise.all([call(), call()]))[0]

/** Addresses of strangers; an organization on trial writes to ten in all. */
const aHandful = ({ chance }: Scene, { name }: Organization) => ({
  emails: Array.from({ length: 6 }, () => `n${chance.int(1, 1_000_000)}@${name}.test`),
})

const pages =
  `/api/vulns/?search=widget /api/vulns/stats/monitored /api/vulns/latest /api/alerts/ /api/inventories/ /api/audit/
  /api/monitor/items/products /api/exploits/ /api/reports/ /api/alerts/proof/ /api/vulns/export/csv?monitored=true
  /api/inventories/shop/export/csv /api/monitor/export/products /api/decisions/accepted/export/csv`.split(/\s+/)

const tokenPath = '/users/tokens'
const aToken = { name: 'script', scope: 'read' }

/** What people do; each is one or two calls. */
export const actions: Record<string, Act> = {
  monitors: ({ chance }, org) => org.monitors(chance.pick(watchedProducts)),
  'monitors no more': ({ chance }, org) => org.monitors(chance.pick(watchedProducts), false),
  'monitors a package': ({ chance }, org) => org.monitorsPackage(!chance.is(1 / 3)),
  'says its versions': async ({ chance }, org) => {
    const items = await org.list('/api/monitor/items/products')
    if (!items.length) return
    const versions = [`${chance.int(1, 4)}.${chance.int(0, 5)}`]
    await org.post('/api/monitor/items', { kind: 'product', items: [{ id: chance.pick(items).id, versions }] })
  },
  'uploads an inventory': async ({ chance }, org) => {
    const [name, bom] = [chance.pick(['shop', 'desk']), aBom(chance, org.secret)]
    org.documents.delete(name)
    const answer = await org.put(`/api/inventories/${name}`, bom)
    if (answer?.status === 200) org.documents.set(name, bom)
  },
  'removes an inventory': (_, org) => {
    org.documents.delete('desk')
    return org.delete('/api/inventories/desk')
  },
  'sets a status': async (scene, org) => {
    const status = scene.chance.pick(['undefined', 'in_progress', 'not_interesting', 'fixed'])
    await org.post(`${await aVuln(scene, org)}/status/edit`, { status })
  },
  snoozes: async (scene, org) => {
    const path = `${await aVuln(scene, org)}/snooze`
    // A vulnerability in KEV is exploited.
    const whatever = scene.chance.is(0.5) ? { on_kev: true, on_exploit: true } : {}
    await org.post(path, { ...whatever, until: '2030-01-01' })
  },
  'wakes up': async (scene, org) => org.delete(`${await aVuln(scene, org)}/snooze`),
  comments: async (scene, org) => {
    const path = `${await aVuln(scene, org)}/comments`
    const body = `We look: ${org.secret}, ${scene.chance.int(1, 1_000_000)}`
    const made = await org.post(path, { body })
    const seen = await org.get(path)
    if (made?.status === 201 && seen?.status === 200 && !seen.text.includes(body))
      scene.world.problems.push(`${org.name} does not see the comment that it has just made`)
  },
  'writes a vulnerability': (_, org) =>
    org.post('/api/vulns/add', { summary: `Our own flaw, ${org.secret}`, products: ['acme:widget'] }),
  // Pressed twice.
  'saves a view': ({ chance }, org) => {
    const view = { name: `View ${chance.int(1, 99)}`, query: `q=${org.secret}`, is_shared: true }
    return twice(() => org.post('/api/views/', view))
  },
  'saves many views': ({ chance }, org) =>
    twice(() => org.post('/api/views/', { name: `View ${chance.int(100, 9_999)}`, query: '' })),
  'removes a view': async ({ chance }, org) => {
    const views = await org.list('/api/views/')
    if (views.length) await org.delete(`/api/views/${chance.pick(views).id}/`)
  },
  'reads lists': ({ chance }, org) => org.get(chance.pick(pages)),
  'reads its feed': async ({ world }, org) => {
    const { atom_url } = readAnswer<{ atom_url: string }>(await org.post('/api/alerts/feeds/', {}))
    if (!atom_url) return
    const { pathname, search } = new URL(atom_url)
    await world.later(60_000)
    await org.send('GET', pathname + search)
  },
  'moves its receiver': ({ chance }, org) => org.takesAlerts(`hook${chance.int(1, 3)}`),
  'takes no alerts for a while': async ({ world, chance }, org) => {
    await org.delete('/api/alerts/channels/webhook/')
    await world.later(chance.int(1, 60) * 60_000)
    await org.takesAlerts()
  },
  'is hostile': async ({ world, chance }, org) => {
    const target = chance.pick(world.organizations.filter((one) => one !== org))
    const theirs = world.rows<{ id: number }>(
      'SELECT v.id FROM saved_views v JOIN orgs o ON o.id = v.org_id WHERE o.name = ?',
      target.name,
    )
    if (!theirs.length) return
    const path = `/api/views/${chance.pick(theirs).id}/`
    const answer = await org.call(chance.pick(['PUT', 'DELETE']), path, { name: 'Taken' })
    if (answer && answer.status < 400) world.problems.push(`${org.name} changes a view of ${target.name}`)
  },
  'sends details to strangers': async (scene, org) => {
    const path = `${await aVuln(scene, org)}/export/email`
    await twice(() => org.post(path, aHandful(scene, org)))
  },
  'makes tokens': async (_, org) => {
    const { token } = readAnswer<{ token: string }>(await twice(() => org.post(tokenPath, aToken)))
    if (token) org.tokens.push(token)
  },
  'makes and drops a token': async (_, org) => {
    const { id } = readAnswer<{ id: number }>(await org.post(tokenPath, aToken))
    if (id) await org.delete(`${tokenPath}/${id}`)
  },
  'founds an organization': async (scene, org) => {
    const { world } = scene
    if (world.founded >= maxFounded) return
    const name = `elm${++world.founded}`
    const email = `${name}@${name}.test`
    await org.send('POST', '/api/public/trial', { email, org_name: name })
    const token = await findToken(scene, email, /\/trial\/([\w-]+)/)
    if (token === undefined) return
    // Pressed twice: one of both makes the organization.
    const press = () => org.send('POST', `/api/public/trial/${token}`, aRegistration(`${name}_boss`))
    const answers = await Promise.all([press(), press()])
    if (!answers.some((answer) => answer?.status === 200)) return
    const own = new Organization(world, name, [])
    own.welcome(`${name}_boss`)
    await own.takesAlerts()
    await own.monitors('widget')
    await inviteMany(scene, own)
  },
  'invites somebody': async (scene, org) => {
    const username = `${org.name}_guest${scene.chance.int(1, 1_000_000)}`
    const email = `${username}@${org.name}.test`
    const invited = await org.post(`/users/${org.id}/adduser`, { emails: [email] })
    if (invited?.status !== 201) return
    const token = await findToken(scene, email, /registration\?token=([\w-]+)/)
    if (token === undefined) return
    const answer = await org.send('POST', `/users/activate/${token}`, aRegistration(username))
    if (answer?.status === 200) org.welcome(username)
  },
  'invites many': (scene, org) => inviteMany(scene, org),
  'shows somebody out': async ({ world, chance }, org) => {
    if (org.people.length < 2) return
    const guest = chance.pick(org.people.slice(1))
    const user = findUser(world, guest)
    await org.get('/api/vulns/?limit=1', guest)
    const answer = await org.post(`/users/${org.id}/delete/${user?.id}`)
    if (answer?.status !== 200) return
    org.people.splice(org.people.indexOf(guest), 1)
    await expectGone(world, org, guest)
  },
  // Two admins at once: one of them must stay.
  'deletes accounts': async ({ world, chance }, org) => {
    const other = chance.pick(org.people)
    if (other !== org.boss) await org.post(`/users/${org.id}/${findUser(world, other)?.id}/admin/enable`)
    const leaving = [...new Set([other, org.boss])]
    await Promise.all(leaving.map((one) => org.post('/users/profile/delete', {}, proved(one))))
    // Another one of these may have noted it already.
    const left = leaving.filter((one) => org.people.includes(one) && !findUser(world, one))
    for (const one of left) org.people.splice(org.people.indexOf(one), 1)
    // Whoever administers it now.
    const isAdmin = (one: SimulatedPerson) => findUser(world, one)?.is_admin ?? 0
    org.people.sort((one, two) => isAdmin(two) - isAdmin(one))
    if (org.id && !(org.boss && isAdmin(org.boss))) world.problems.push(`Nobody administers ${org.name} any more`)
    for (const one of left) await expectGone(world, org, one)
  },
  'sees another one go': ({ world }) => {
    const org = world.organizations.find(({ name }) => name.startsWith('elm'))
    return org?.post('/api/orgs/removal', { name: org.name }, proved(org.boss))
  },
  'loses its receiver': ({ world, chance }, org) =>
    world.network.outages.set(org.name, world.now_ms + chance.int(1, 100) * 3_600_000),
}

/** How many organizations may be founded in a story: each has all that the others have. */
const maxFounded = 3

/** An organization on trial sends ten in all, however many ask at once. */
const inviteMany = (scene: Scene, org: Organization) =>
  twice(() => org.post(`/users/${org.id}/adduser`, aHandful(scene, org)))

const aRegistration = (username: string) => ({ username, password: commonPassword, password_confirm: commonPassword })

/** People who leave have just proved who they are. */
const proved = (who: SimulatedPerson) => Object.assign(who, { until_ms: 0 })

/** The token of the newest link that was mailed to an address; a mail may take some minutes under faults. */
async function findToken({ world }: Scene, email: string, link: RegExp) {
  for (let turn = 0; turn < 12; turn++) {
    await world.later(60_000)
    const token = world.mails.findLast(({ to, text }) => to === email && link.test(text))?.text.match(link)?.[1]
    if (token !== undefined) return token
  }
  return undefined
}

const findUser = (world: SimulatedWorld, { username }: SimulatedPerson) =>
  world.rows<{ id: number; is_admin: number | null }>(
    'SELECT u.id, m.is_admin FROM users u LEFT JOIN members m ON m.user_id = u.id WHERE u.username = ?',
    username,
  )[0]

export async function expectGone(world: SimulatedWorld, org: Organization, who: SimulatedPerson) {
  // A copy that is late may let them read for a minute.
  await world.later(60_000)
  for (const isNew of [false, true]) {
    const seen = await org.get('/api/inventories/', isNew ? proved(who) : who)
    if (seen && seen.status < 400) world.problems.push(`${who.username} left ${org.name} and still reads`)
  }
}
