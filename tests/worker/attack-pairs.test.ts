import { expect, test } from 'vitest'
import { rows, sqlIn } from './support/org'
import { aSecretScene, pairs } from './support/secret-pairs'
import { aWorld } from './support/world'

/** As long and of the same signs, but nobody's. */
const unknown = (secret: string) => secret.slice(0, -12) + 'ABCDEFGH2345'

for (const [name, { make, open, ways }] of Object.entries(pairs)) {
  test(`${name} opens while it stands`, async () => {
    const scene = await aSecretScene()
    const secret = await make(scene)
    expect((await open(scene, secret)).status).toBeLessThan(300)
  })

  test.each(Object.entries(ways))(`${name} opens nothing after: %s`, async (_, remove) => {
    const scene = await aSecretScene()
    const secret = await make(scene)
    await remove(scene)
    const ask = async (text: string) => {
      const response = await open(scene, text)
      return [response.status, (await response.text()).replaceAll(text, '')]
    }
    const refusal = await ask(unknown(secret))
    expect(refusal[0]).toBeGreaterThanOrEqual(400)
    expect(await ask(secret)).toEqual(refusal)
  })
}

/** Each column that may hold a secret, or a hash of one: the pairs above that are found by it, or why it opens nothing. */
const secretColumns: Record<string, { opens: string[] } | { opensNothing: string }> = {
  'alert_channels.secrets': { opensNothing: 'for other servers, sealed' },
  'alert_feeds.token_hash': { opens: ['a feed of a view', 'a feed of all'] },
  'api_tokens.token_hash': { opens: ['an API token'] },
  'audit_heads.hash': { opensNothing: 'seals the log' },
  'audit_heads.mac': { opensNothing: 'seals the log' },
  'audit_heads.pruned_hash': { opensNothing: 'seals the log' },
  'audit_log.hash': { opensNothing: 'seals the log' },
  'audit_log.prev_hash': { opensNothing: 'seals the log' },
  'bulletins.hash': { opensNothing: 'of public text' },
  'data_keys.sealed': { opensNothing: 'signs the log, and links that only end mails' },
  'links.token_hash': {
    opens: [
      'an invitation',
      'a password reset',
      'a change of the address',
      'the confirmation of an alert address',
      'the beginning of a trial',
    ],
  },
  'passkeys.public_key': { opensNothing: 'of no use without the device: attack-sign-in' },
  'recovery_codes.code_hash': { opens: ['a recovery code'] },
  'refresh_tokens.token_hash': { opens: ['a refresh token'] },
  'sessions.secret': { opens: ['an access token'] },
  'sso_domains.proof': { opensNothing: 'stands in the DNS for all to see' },
  'sso_providers.client_secret': { opensNothing: 'for the provider, sealed' },
  'subscribers.token_hash': { opens: ['the confirmation of a newsletter', 'the end of a newsletter'] },
  'users.password_hash': { opensNothing: 'asked for with its name: throttle, reset' },
  'users.totp_secret': { opensNothing: 'asked for after the password, sealed: attack-sign-in' },
  'vuln_records.hash': { opensNothing: 'of public text' },
}

test('each column that may hold a secret stands in the list of what it opens, and each of these is tried above', async () => {
  const { env } = aWorld()
  const tables = await sqlIn(env)<{ name: string }>`SELECT name FROM sqlite_master WHERE type = 'table'
    AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*' ORDER BY name`
  const found: string[] = []
  for (const { name: table } of tables)
    for (const { name } of await rows<{ name: string }>(
      env,
      `SELECT name FROM pragma_table_info('${table}') ORDER BY 1`,
    ))
      if (/token(?!_id)|secret|password|hash|proof|sealed|mac$|public_key/.test(name)) found.push(`${table}.${name}`)
  expect(found).toEqual(Object.keys(secretColumns))
  const opened = Object.values(secretColumns).flatMap((column) => ('opens' in column ? column.opens : []))
  expect(Object.keys(pairs)).toEqual(expect.arrayContaining(opened))
})
