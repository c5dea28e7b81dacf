import { aMemberRow, anOrgRow, aProfile } from './account'
import { aPage } from './rows'
import { fakeServer } from './server'

type Answers = Parameters<typeof fakeServer>[0]

/** A worker with one organization of two members, which answers what the settings ask for first. */
export const settingsServer = (answers: Answers = {}) =>
  fakeServer({
    'GET /users/profile': () => ({ body: aProfile() }),
    'GET /users/passkeys': () => ({ body: [] }),
    'GET /users/sessions': () => ({ body: [] }),
    'GET /users/tokens': () => ({ body: [] }),
    'GET /api/orgs/': () => ({ body: aPage([anOrgRow()]) }),
    'GET /api/org-users/': () => ({
      body: aPage([
        aMemberRow({ user: 1, username: 'analyst', email: 'ada@example.org', is_admin: true }),
        aMemberRow(),
      ]),
    }),
    ...answers,
  })

export const refusal = (message: string, status = 403, code = 'no') => ({ status, body: { code, message } })
export const offline = () => Promise.reject(new TypeError('Failed to fetch'))
