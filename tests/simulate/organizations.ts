import { commonPassword } from '../support/founding.ts'
import type { SimulatedWorld } from './world.ts'

/** Keeps, as a browser does, what it has seen of the database. */
export type SimulatedPerson = { username: string; access: string; until_ms: number; bookmark: string }
export const newPerson = (username: string): SimulatedPerson => ({ username, access: '', until_ms: 0, bookmark: '' })
/** People who leave have just proved who they are. */
export const proved = (who: SimulatedPerson) => Object.assign(who, { until_ms: 0 })

/** Null when the call died or could not sign in, as it may under faults. */
export type CallAnswer = Awaited<ReturnType<SimulatedWorld['request']>>

/** The answer of a call that went well. */
export const readAnswer = <Shape extends object>(answer: CallAnswer) =>
  JSON.parse(answer && answer.status < 300 ? answer.text : '{}') as Partial<Shape>

/** An organization, as its people see it: what they call and what they are told. */
export class Organization {
  readonly people: SimulatedPerson[]
  /** The documents of its inventories, as far as the answer came and no removal was on its way. */
  readonly documents = new Map<string, object>()
  readonly tokens: string[] = []
  readonly name: string
  /** A word that stands in all that this organization writes, and nobody else may ever see. */
  readonly secret: string
  readonly world: SimulatedWorld

  constructor(world: SimulatedWorld, name: string, usernames = [`${name}-boss`, `${name}-member`]) {
    this.world = world
    this.name = name
    this.secret = `secret-of-${name}`
    this.people = usernames.map(newPerson)
    world.everybody.push(this)
    world.organizations.push(this)
  }

  get id() {
    return this.world.rows<{ id: number }>('SELECT id FROM orgs WHERE name = ?', this.name)[0]?.id ?? 0
  }

  get boss() {
    return this.people[0] as SimulatedPerson
  }

  get = (path: string, who = this.boss) => this.call('GET', path, undefined, who)
  put = (path: string, body: object) => this.call('PUT', path, body)
  post = (path: string, body?: object, who = this.boss) => this.call('POST', path, body, who)
  delete = (path: string) => this.call('DELETE', path)
  list = async <Row = { id: number }>(path: string): Promise<Row[]> => {
    const found = readAnswer<{ results: Row[] }>(await this.get(path))
    return Array.isArray(found) ? found : (found.results ?? [])
  }

  takesAlerts = (hook = 'hook') =>
    this.put('/api/alerts/channels/webhook/', { url: `https://receiver.test/${this.name}/${hook}` })
  monitors = (product_name: string, monitored = true) =>
    this.put('/api/monitor/product/toggle', { vendor_name: 'acme', product_name, monitored })

  async call(method: string, path: string, body?: object, who = this.boss): Promise<CallAnswer> {
    if (who.until_ms <= this.world.now_ms) {
      const credentials = { username: who.username, password: commonPassword }
      const signedIn = await this.send('POST', '/api/public/jwt-auth/obtain-token/', credentials)
      const { access } = readAnswer<{ access: string }>(signedIn)
      if (access === undefined) return null
      Object.assign(who, { access, until_ms: this.world.now_ms + 8 * 60_000 })
    }
    const headers = { authorization: `JWT ${who.access}`, ...(who.bookmark && { 'x-d1-bookmark': who.bookmark }) }
    const answer = await this.send(method, path, body, headers)
    who.bookmark = answer?.bookmark ?? who.bookmark
    return answer
  }

  /** As anybody, or whoever the headers name. */
  async send(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<CallAnswer> {
    const sent = { ...headers, 'content-type': 'application/json' }
    const answer = await this.world.request(path, { method, headers: sent, body: JSON.stringify(body) })
    const what = `${method} ${path}`
    if (answer && answer.status >= 500 && !answer.hasFault)
      this.world.problems.push(`${this.name}: ${what} answered ${answer.status}: ${answer.text.slice(0, 200)}`)
    this.expectOwn(`the answer to ${what}`, answer?.text ?? '')
    this.world.note(`${this.name}: ${what} answered ${answer?.status}`)
    return answer
  }

  /** Nothing of another organization stands in what this one is given. */
  expectOwn(what: string, text: string) {
    for (const { name, secret } of this.world.everybody)
      if (name !== this.name && text.includes(secret))
        this.world.problems.push(`${this.name} sees ${secret} in ${what}`)
  }

  findUser = ({ username }: SimulatedPerson) =>
    this.world.rows<{ id: number; is_admin: number | null }>(
      'SELECT u.id, m.is_admin FROM users u LEFT JOIN members m ON m.user_id = u.id WHERE u.username = ?',
      username,
    )[0]

  /** They are none of its people any more. */
  async expectGone(who: SimulatedPerson) {
    if (this.people.includes(who)) this.people.splice(this.people.indexOf(who), 1)
    // A copy that is late may let them read for a minute.
    await this.world.later(60_000)
    for (const isNew of [false, true]) {
      const seen = await this.get('/api/inventories/', isNew ? proved(who) : who)
      if (seen && seen.status < 400) this.world.problems.push(`${who.username} left ${this.name} and still reads`)
    }
  }
}
