import { advisedPackage } from './knowledge.ts'
import { Died } from './scheduler.ts'
import type { SimulatedWorld } from './world.ts'

export const commonPassword = 'Correct-horse-9-battery'
/** Of that password, made cheap (8 KiB, one pass): a story signs in hundreds of times. */
const passwordHash = '$argon2id$v=19$m=8,t=1,p=1$BwcHBwcHBwcHBwcHBwcHBw$5F0R8WvmVt8wXFGulm1fmpTzmLDxis2dyGrdAEkelz0'

/** Keeps, as a browser does, what it has seen of the database. */
export type SimulatedPerson = { username: string; access: string; until_ms: number; bookmark: string }
export type CallAnswer = {
  status: number
  text: string
  json: <Shape>() => Shape
  hasFault: boolean
  bookmark: string | null
} | null

/** An organization, as its people see it: what they call and what they are told. */
export class Organization {
  readonly people: SimulatedPerson[]
  /** What its inventories were made of, as far as the answer came. */
  readonly documents = new Map<string, unknown>()
  readonly tokens: string[] = []
  readonly name: string
  /** A word that stands in all that this organization writes, and nobody else may ever see. */
  readonly secret: string
  private readonly world: SimulatedWorld
  private readonly others: () => Organization[]

  constructor(
    world: SimulatedWorld,
    { name, people, others }: { name: string; people: SimulatedPerson[]; others: () => Organization[] },
  ) {
    this.world = world
    this.name = name
    this.secret = `secret-of-${name}`
    this.others = others
    this.people = people
  }

  get id() {
    return this.world.rows<{ id: number }>('SELECT id FROM orgs WHERE name = ?', this.name)[0]?.id ?? 0
  }

  get boss() {
    return this.people[0] as SimulatedPerson
  }

  /** Null when the call died or could not sign in, as it may under faults. */
  async call(method: string, path: string, body?: unknown, who: SimulatedPerson = this.boss): Promise<CallAnswer> {
    if (!(await this.signIn(who))) return null
    const headers = { authorization: `JWT ${who.access}`, ...(who.bookmark && { 'x-d1-bookmark': who.bookmark }) }
    const answer = await this.send(method, path, headers, body)
    who.bookmark = answer?.bookmark ?? who.bookmark
    return answer
  }

  takesAlerts = (hook = 'hook') =>
    this.call('PUT', '/api/alerts/channels/webhook/', {
      url: `https://receiver.test/${this.name}/${hook}`,
    })

  monitors = (product_name: string, monitored = true) =>
    this.call('PUT', '/api/monitor/product/toggle', { vendor_name: 'acme', product_name, monitored })

  monitorsPackage = (monitored = true) =>
    this.call('PUT', '/api/monitor/package/toggle', { package_type: 'npm', package_name: advisedPackage, monitored })

  /** As anybody, or whoever the headers name. */
  async send(method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<CallAnswer> {
    const { world } = this
    const init = body === undefined ? {} : { body: JSON.stringify(body) }
    try {
      const answer = await world.request(path, {
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        ...init,
      })
      if (answer.status >= 500 && !answer.hasFault)
        world.problems.push(`${this.name}: ${method} ${path} answered ${answer.status}: ${answer.text.slice(0, 200)}`)
      this.expectOwn(`the answer to ${method} ${path}`, answer.text)
      return { ...answer, json: <Shape>() => JSON.parse(answer.text) as Shape }
    } catch (error) {
      if (error instanceof Died) return null
      throw error
    }
  }

  /** Nothing of another organization stands in what this one is given. */
  expectOwn(what: string, text: string) {
    for (const { name, secret } of this.others())
      if (name !== this.name && text.includes(secret))
        this.world.problems.push(`${this.name} sees ${secret} in ${what}`)
  }

  private async signIn(who: SimulatedPerson) {
    const { scheduler } = this.world
    if (who.until_ms > scheduler.now_ms) return true
    const answer = await this.send(
      'POST',
      '/api/public/jwt-auth/obtain-token/',
      {},
      { username: who.username, password: commonPassword },
    )
    if (answer?.status !== 200) return false
    who.access = answer.json<{ access: string }>().access
    who.until_ms = scheduler.now_ms + 8 * 60_000
    return true
  }
}

const newPerson = (username: string): SimulatedPerson => ({ username, access: '', until_ms: 0, bookmark: '' })

/** Somebody who has registered; the password is as cheap from then on as that of the others. */
export function aNewcomer(world: SimulatedWorld, username: string) {
  world.rows('UPDATE users SET password_hash = ? WHERE username = ?', passwordHash, username)
  return newPerson(username)
}

export const organizationNames = ['alder', 'birch', 'cedar'] as const
const listUsernames = (name: string) => [`${name}-boss`, `${name}-member`]
export const listPeople = (name: string) => listUsernames(name).map(newPerson)

/** One short of the views and tokens that a person may have. */
const almostAll = [
  `saved_views(org_id, user_id, name, query, is_shared, created_at, updated_at)
   SELECT org_id, user_id, 'Old ' || i, '', 0, '2026', '2026'`,
  `api_tokens(org_id, user_id, name, prefix, token_hash, scope, created_at) SELECT org_id, user_id, 'old', '', i, 'read', '2026'`,
].map(
  (insert) => `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 49)
   INSERT INTO ${insert} FROM n CROSS JOIN members WHERE user_id = (SELECT id FROM users WHERE username = 'alder-boss')`,
)

/** An admin and a member each. */
const foundOrganizations = organizationNames.flatMap((name) => {
  const at = "'2026-01-01T00:00:00Z'"
  const [org_id, email] = [`(SELECT id FROM orgs WHERE name = '${name}')`, `'${name}@${name}.test'`]
  return [
    `INSERT INTO orgs(name, slug, created_at) VALUES ('${name}', '${name}', ${at})`,
    `INSERT INTO alert_settings(org_id, alerts_emails) VALUES (${org_id}, json_array(${email}))`,
    `INSERT INTO alert_addresses(org_id, email, confirmed_at) VALUES (${org_id}, ${email}, ${at})`,
    ...listUsernames(name).flatMap((username, place) => [
      `INSERT INTO users(username, email, password_hash, created_at, email_verified_at)
       VALUES ('${username}', '${username}@${name}.test', '${passwordHash}', ${at}, ${at})`,
      `INSERT INTO members(org_id, user_id, is_admin) SELECT ${org_id}, id, ${place === 0 ? 1 : 0} FROM users WHERE username = '${username}'`,
    ]),
  ]
})
export const foundingStatements = [...foundOrganizations, ...almostAll]
