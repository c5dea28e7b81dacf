import { commonPassword } from '../support/founding.ts'
import type { SeededChance } from '../support/seeded-chance.ts'
import { aBom, advisedPackage, watchedProducts } from './knowledge.ts'
import { newPerson, Organization, proved, readAnswer, type CallAnswer } from './organizations.ts'

/** `chance` belongs to the event, so that others may be left out. */
type Act = (org: Organization, chance: SeededChance) => unknown

async function aVuln(org: Organization, { pick }: SeededChance) {
  const found = await org.list('/api/vulns/?monitored=true&limit=20')
  return `/api/vulns/${found.length ? pick(found).id : 1}`
}
const judges =
  (path: string, say: (chance: SeededChance) => object): Act =>
  async (org, chance) => {
    const body = say(chance)
    return org.post(`${await aVuln(org, chance)}/${path}`, body)
  }

/** At the same time: one of both, or both where both may. */
const twice = async (call: () => Promise<CallAnswer>) => (await Promise.all([call(), call()]))[0]

/** Addresses of strangers; an organization on trial writes to ten in all. */
const aHandful = ({ name }: Organization, { int }: SeededChance) => ({
  emails: Array.from({ length: 6 }, () => `${name}_n${int(1, 1_000_000)}@${name}.test`),
})

const statuses = ['undefined', 'in_progress', 'not_interesting', 'fixed']
const pages =
  `/api/vulns/?search=widget /api/vulns/stats/monitored /api/vulns/latest /api/alerts/ /api/inventories/ /api/audit/
  /api/monitor/items/products /api/exploits/ /api/reports/ /api/alerts/proof/ /api/vulns/export/csv?monitored=true
  /api/inventories/shop/export/csv /api/monitor/export/products /api/decisions/accepted/export/csv`.split(/\s+/)

/** Actions of people; each is one or two calls. */
export const actions: Record<string, Act> = {
  monitors: (org, { pick, is }) => org.monitors(pick(watchedProducts), is(0.6)),
  'monitors a package': (org, { is }) =>
    org.put('/api/monitor/package/toggle', { ...advisedPackage, monitored: is(2 / 3) }),
  'says its versions': async (org, { int, pick }) => {
    const known = await org.list('/api/monitor/items/products')
    const items = known.length ? [{ id: pick(known).id, versions: [`${int(1, 4)}.${int(0, 5)}`] }] : []
    await org.post('/api/monitor/items', { kind: 'product', items })
  },
  'uploads an inventory': async (org, chance) => {
    const [name, bom] = [chance.pick(['shop', 'desk']), aBom(chance, org.secret)]
    org.documents.delete(name)
    const answer = await org.put(`/api/inventories/${name}`, bom)
    if (answer?.status === 200) org.documents.set(name, bom)
  },
  'removes an inventory': (org) => {
    org.documents.delete('desk')
    return org.delete('/api/inventories/desk').finally(() => org.documents.delete('desk'))
  },
  'sets a status': judges('status/edit', ({ pick }) => ({ status: pick(statuses) })),
  // A vulnerability in KEV is exploited.
  snoozes: judges('snooze', ({ is }) => ({ ...(is(0.5) && { on_kev: true, on_exploit: true }), until: '2030-01-01' })),
  'wakes up': async (org, chance) => org.delete(`${await aVuln(org, chance)}/snooze`),
  comments: async (org, chance) => {
    const [path, body] = [`${await aVuln(org, chance)}/comments`, `${org.secret}, ${chance.int(1, 1_000_000)}`]
    const [made, seen] = [await org.post(path, { body }), await org.get(path)]
    if (made?.status === 201 && seen?.status === 200 && !seen.text.includes(body))
      org.world.problems.push(`${org.name} does not see the comment that it has just made`)
  },
  'writes a vulnerability': (org) =>
    org.post('/api/vulns/add', { summary: `Our own flaw, ${org.secret}`, products: ['acme:widget'] }),
  // Pressed twice, or two at once: as many as it may have, and one more.
  'saves views': (org, { int }) =>
    twice(() => org.post('/api/views/', { name: `View ${int(1, 3)}`, query: `q=${org.secret}`, is_shared: true })),
  'removes a view': async (org, { pick }) => {
    const views = await org.list('/api/views/')
    if (views.length) await org.delete(`/api/views/${pick(views).id}/`)
  },
  'reads lists': (org, { pick }) => org.get(pick(pages)),
  'reads its feed': async (org) => {
    const { atom_url } = readAnswer<{ atom_url: string }>(await org.post('/api/alerts/feeds/', {}))
    await org.world.later(60_000)
    if (atom_url) await org.send('GET', atom_url.slice(new URL(atom_url).origin.length))
  },
  'moves its receiver': (org, { int }) => org.takesAlerts(`hook${int(1, 3)}`),
  'takes no alerts for a while': async (org, { int }) => {
    await org.delete('/api/alerts/channels/webhook/')
    await org.world.later(int(1, 60) * 60_000)
    await org.takesAlerts()
  },
  'is hostile': async (org, { pick }) => {
    const others = 'SELECT 0 AS id UNION ALL SELECT id FROM saved_views WHERE org_id <> ?'
    const path = `/api/views/${pick(org.world.rows<{ id: number }>(others, org.id)).id}/`
    const answer = await org.call(pick(['PUT', 'DELETE']), path, { name: 'Taken' })
    if (answer && answer.status < 400) org.world.problems.push(`${org.name} changes a view of another one`)
  },
  'sends details to strangers': async (org, chance) => {
    const path = `${await aVuln(org, chance)}/export/email`
    await twice(() => org.post(path, aHandful(org, chance)))
  },
  'makes tokens': async (org, { is }) => {
    const made = await twice(() => org.post('/users/tokens', { name: 'script', scope: 'read' }))
    const { id, token } = readAnswer<{ id: number; token: string }>(made)
    if (token) org.tokens.push(token)
    if (id && is(0.5)) await org.delete(`/users/tokens/${id}`)
  },
  'founds an organization': async (org, chance) => {
    const { world } = org
    // Each has all that the others have.
    if (world.founded === 3) return
    const name = `elm${++world.founded}`
    const email = `${name}@${name}.test`
    await org.send('POST', '/api/public/trial', { email, org_name: name })
    // Pressed twice: one of both makes the organization.
    const path = await findLink(world, email, /(\/trial\/[\w-]+)/)
    const press = () => org.send('POST', `/api/public${path}`, aRegistration(`${name}_boss`))
    if (!path || !(await Promise.all([press(), press()])).some((answer) => answer?.status === 200)) return
    const own = new Organization(world, name, [])
    own.people.push(newPerson(`${name}_boss`))
    await own.takesAlerts()
    await own.monitors('widget')
    await inviteMany(own, chance)
  },
  'invites many': (org, chance) => inviteMany(org, chance),
  'shows somebody out': async (org, { pick }) => {
    if (org.people.length < 2) return
    const guest = pick(org.people.slice(1))
    await org.get('/api/vulns/?limit=1', guest)
    const answer = await org.post(`/users/${org.id}/delete/${org.findUser(guest)?.id}`)
    if (answer?.status === 200) await org.expectGone(guest)
  },
  // Two admins at once: one of them must stay.
  'deletes accounts': async (org, { pick }) => {
    const other = pick(org.people)
    if (other !== org.boss) await org.post(`/users/${org.id}/${org.findUser(other)?.id}/admin/enable`)
    const leaving = [...new Set([other, org.boss])]
    await Promise.all(leaving.map((one) => org.post('/users/profile/delete', {}, proved(one))))
    // Another one of these may have noted it already.
    const left = leaving.filter((one) => org.people.includes(one) && !org.findUser(one))
    org.people.splice(0, Infinity, ...org.people.filter((one) => !left.includes(one)))
    // Its present admin.
    const isAdmin = (one = org.boss) => org.findUser(one)?.is_admin ?? 0
    org.people.sort((one, two) => isAdmin(two) - isAdmin(one))
    if (org.id && !(org.people.length && isAdmin())) org.world.problems.push(`Nobody administers ${org.name} any more`)
    for (const one of left) await org.expectGone(one)
  },
  'sees another one go': ({ world }) => {
    const org = world.organizations.find(({ name }) => name.startsWith('elm'))
    return org?.post('/api/orgs/removal', { name: org.name }, proved(org.boss))
  },
  'loses its receiver': ({ name, world }, { int }) =>
    world.network.outages.set(name, world.now_ms + int(1, 100) * 3_600_000),
}

/** An organization on trial sends ten in all, however many ask at once; one of those who are invited comes. */
async function inviteMany(org: Organization, chance: SeededChance) {
  const [path, first, second] = [`/users/${org.id}/adduser`, aHandful(org, chance), aHandful(org, chance)]
  const [invited] = await Promise.all([org.post(path, first), org.post(path, second)])
  const [email = ''] = first.emails
  const [username = ''] = email.split('@')
  const token = invited?.status === 201 && (await findLink(org.world, email, /registration\?token=([\w-]+)/))
  const answer = token ? await org.send('POST', `/users/activate/${token}`, aRegistration(username)) : null
  if (answer?.status === 200) org.people.push(newPerson(username))
}

const aRegistration = (username: string) => ({ username, password: commonPassword, password_confirm: commonPassword })

/** The token of the newest link that was mailed to an address; a mail may take some minutes under faults. */
async function findLink({ later, mails }: Organization['world'], email: string, link: RegExp) {
  await later(12 * 60_000)
  return mails.findLast(({ to, text }) => to === email && link.test(text))?.text.match(link)?.[1]
}
