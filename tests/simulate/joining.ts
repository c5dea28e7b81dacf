import { aHandful, twice } from './actions.ts'
import type { Act, ActionScene } from './actions.ts'
import { aNewcomer, commonPassword, Organization } from './organizations.ts'
import type { SimulatedPerson } from './organizations.ts'
import type { SimulatedWorld } from './world.ts'

const aRegistration = (username: string) => ({
  username,
  password: commonPassword,
  password_confirm: commonPassword,
})

/** The token of the newest link that was mailed to an address; a mail may take some minutes under faults. */
async function findToken({ world }: ActionScene, email: string, link: RegExp) {
  for (let turn = 0; turn < 12; turn++) {
    await world.later(60_000)
    const token = world.mails.findLast(({ to, text }) => to === email && link.test(text))?.text.match(link)?.[1]
    if (token !== undefined) return token
  }
  return undefined
}

const findUser = (world: SimulatedWorld, { username }: SimulatedPerson) =>
  world.rows<{ id: number }>('SELECT id FROM users WHERE username = ?', username)

const isAdmin = (world: SimulatedWorld, { username }: SimulatedPerson) =>
  world.rows('SELECT 1 FROM members m JOIN users u ON u.id = m.user_id WHERE u.username = ? AND m.is_admin', username)
    .length > 0

export async function expectGone(world: SimulatedWorld, org: Organization, one: SimulatedPerson) {
  // A copy that is late may let them read for a minute.
  await world.later(60_000)
  for (const isNew of [false, true]) {
    if (isNew) one.until_ms = 0
    const seen = await org.call('GET', '/api/inventories/', undefined, one)
    if (seen && seen.status < 400) world.problems.push(`${one.username} left ${org.name} and still reads`)
  }
}

/** How many organizations may be founded in a story: each has all that the others have. */
const maxFounded = 3

/** Of people and organizations that come and go. */
export const joiningActions: Record<string, Act> = {
  'founds an organization': async (scene, org) => {
    const { world, organizations, founded } = scene
    if (founded.size >= maxFounded) return undefined
    const name = `elm${founded.size + 1}`
    founded.add(name)
    const email = `${name}@${name}.test`
    await org.send('POST', '/api/public/trial', {}, { email, org_name: name })
    const token = await findToken(scene, email, /\/trial\/([\w-]+)/)
    if (token === undefined) return undefined
    const path = `/api/public/trial/${token}`
    // Pressed twice: one of both makes the organization.
    const answers = await Promise.all([1, 2].map(() => org.send('POST', path, {}, aRegistration(`${name}_boss`))))
    const answer = answers.find((one) => one?.status === 200)
    if (!answer) return answers[0]
    const own = new Organization(world, {
      name,
      people: [aNewcomer(world, `${name}_boss`)],
      others: scene.everybody,
    })
    organizations.push(own)
    await own.takesAlerts()
    await own.monitors('widget')
    return joiningActions['invites many']?.(scene, own)
  },
  'invites somebody': async (scene, org) => {
    const { chance } = scene
    const username = `${org.name}_guest${chance.int(1, 1_000_000)}`
    const email = `${username}@${org.name}.test`
    const invited = await org.call('POST', `/users/${org.id}/adduser`, { emails: [email] })
    if (invited?.status !== 201) return invited
    const token = await findToken(scene, email, /registration\?token=([\w-]+)/)
    if (token === undefined) return undefined
    const answer = await org.send('POST', `/users/activate/${token}`, {}, aRegistration(username))
    if (answer?.status === 200) org.people.push(aNewcomer(scene.world, username))
    return answer
  },
  // An organization on trial sends ten in all, however many ask at once.
  'invites many': (scene, org) =>
    twice(() => org.call('POST', `/users/${org.id}/adduser`, { emails: aHandful(scene, org) })),
  'shows somebody out': async ({ world, chance }, org) => {
    const guests = org.people.slice(1)
    if (!guests.length) return undefined
    const guest = chance.pick(guests)
    const [user] = findUser(world, guest)
    await org.call('GET', '/api/vulns/?limit=1', undefined, guest)
    const answer = await org.call('POST', `/users/${org.id}/delete/${user?.id}`)
    if (answer?.status !== 200) return answer
    org.people.splice(org.people.indexOf(guest), 1)
    await expectGone(world, org, guest)
    return answer
  },
  // Two admins at once: one of them must stay.
  'deletes accounts': async ({ world, chance }, org) => {
    const other = chance.pick(org.people)
    const [user] = findUser(world, other)
    if (other !== org.boss) await org.call('POST', `/users/${org.id}/${user?.id}/admin/enable`)
    const leaving = [...new Set([other, org.boss])]
    // People who leave have just proved who they are.
    for (const one of leaving) one.until_ms = 0
    const [answer] = await Promise.all(leaving.map((one) => org.call('POST', '/users/profile/delete', {}, one)))
    // Another one of these may have noted it already.
    const left = leaving.filter((one) => org.people.includes(one) && !findUser(world, one).length)
    for (const one of left) org.people.splice(org.people.indexOf(one), 1)
    if (org.id && !org.people.some((one) => isAdmin(world, one)))
      world.problems.push(`Nobody administers ${org.name} any more`)
    // Whoever administers it now.
    org.people.sort((one, two) => Number(isAdmin(world, two)) - Number(isAdmin(world, one)))
    for (const one of left) await expectGone(world, org, one)
    return answer
  },
  'sees another one go': async ({ organizations, founded }) => {
    const org = organizations.find(({ name }) => founded.has(name))
    if (!org) return undefined
    // People who leave have just proved who they are.
    org.boss.until_ms = 0
    return org.call('POST', '/api/orgs/removal', { name: org.name })
  },
  'loses its receiver': ({ world, chance }, org) => {
    world.network.outages.set(org.name, world.scheduler.now_ms + chance.int(1, 100) * 3_600_000)
    return Promise.resolve(undefined)
  },
}
