import { expect, test } from 'vitest'
import { asForm, aClientSession, clientStyles, walkAsClient } from '../support/client-walk'
import { eachTest } from './support/each-test'
import { aKnownWorld } from './support/known-world'
import { anOrg } from './support/org'
import { password } from '../support/credentials'

const world = eachTest(aKnownWorld)

test.each(clientStyles)(
  '%s signs in, stays, searches, edits, rates and saves its settings',
  async (_, encode, change) => {
    const { username, org_id } = await anOrg({ world, is_org_admin: true })
    const session = aClientSession(world.request, encode)
    const search = { words: 'flaw', count: 2 }
    await walkAsClient({ session, change, username, password, org_id, vuln_id: 1, search })
  },
  20_000,
)

test.each(clientStyles)(
  '%s that reads and saves each settings form twice changes nothing',
  async (_, encode) => {
    const { username, user_id, org_id, access } = await anOrg({
      world,
      is_org_admin: true,
      emails: ['alerts@example.org'],
    })
    const { ask, authorize } = aClientSession(world.request, encode)
    authorize(`JWT ${access}`)
    const readAll = async () => ({
      settings: await ask(`GET /users/org/${org_id}/settings`),
      profile: await ask('GET /users/profile'),
      user: await ask(`GET /api/users/${user_id}`),
    })
    await ask('POST /users/profile/update', { first_name: 'Ada', last_name: 'Lovelace' })
    const before = await readAll()
    expect(before.user).toMatchObject({ username, first_name: 'Ada' })
    for (let time = 0; time < 2; time++) {
      const { settings, profile, user } = await readAll()
      // A form sends an object as its JSON.
      const flat = Object.entries(settings).map(([name, value]: [string, unknown]) => {
        const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
        return [name, isObject && encode === asForm ? JSON.stringify(value) : value]
      })
      expect(await ask('POST /users/org/update', Object.fromEntries(flat) as Record<string, unknown>)).toEqual(
        before.settings,
      )
      const { first_name, last_name } = profile
      await ask('POST /users/profile/update', { first_name, last_name })
      const { manage_organization, manage_alert_email, manage_metadata } = user.profile ?? {}
      const rights = { manage_organization, manage_alert_email, manage_metadata }
      expect(await ask(`PUT /api/users/${user_id}`, { first_name, last_name, ...rights })).toEqual(before.user)
    }
    expect(await readAll()).toEqual(before)
  },
  20_000,
)
