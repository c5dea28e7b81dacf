import { base64url, utf8 } from '../../auth/keys'
import type { AlertFacts } from './facts'
import { testId, type Channel, type IdentifiedBody, type Telling } from './channel'
import { NotTaken, postToChannel } from './outgoing'
import type { Secrets } from './secrets'
import { cutText } from '../../domain/words/short-lists'
import { testText } from './words'

const maxBody = 20_000

export const webhook: Channel<IdentifiedBody> = {
  limit: 1,
  render: ([telling]) => ({ id: `msg_${telling.delivery_id}`, body: bodyFor(telling) }),
  send: async ({ id, body }, { env, secrets, now }) => {
    if (!secrets.url || !secrets.key) throw new NotTaken('The channel has no address or key')
    const timestamp = String(Math.floor(now.getTime() / 1000))
    const isOldValid = secrets.old_key_until !== undefined && secrets.old_key_until > now.toISOString()
    const keys = [secrets.key, ...(isOldValid ? listOldKeys(secrets) : [])]
    const signatures = await Promise.all(keys.map((key) => signMessage(key, `${id}.${timestamp}.${body}`)))
    return postToChannel({ env, secrets }, body, {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
    })
  },
  test: (_, line) => {
    const body = JSON.stringify({ type: 'test', timestamp: line.now.toISOString(), data: { message: testText } })
    return webhook.send({ id: testId(line), body }, line)
  },
}

export async function newWebhookKey(kind: 'hmac' | 'ed25519') {
  if (kind === 'hmac') return `whsec_${toBase64(crypto.getRandomValues(new Uint8Array(32)))}`
  const pair = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair
  const { d = '', x = '' } = (await crypto.subtle.exportKey('jwk', pair.privateKey)) as JsonWebKey
  return `whsk_${Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]).toString('base64')}`
}

/** The newest first. */
export const listOldKeys = ({ old_key }: Secrets) => old_key?.split(' ') ?? []

export function receiverKey(key: string) {
  if (!key.startsWith('whsk_')) return key
  return `whpk_${Buffer.from(key.slice(5), 'base64').subarray(32).toString('base64')}`
}

async function signMessage(key: string, content: string) {
  const [kind = '', text = ''] = key.split('_')
  const bytes = Buffer.from(text, 'base64')
  if (kind === 'whsk') {
    const jwk = { kty: 'OKP', crv: 'Ed25519', d: base64url(bytes.subarray(0, 32)), x: base64url(bytes.subarray(32)) }
    const signer = await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['sign'])
    return `v1a,${toBase64(new Uint8Array(await crypto.subtle.sign('Ed25519', signer, utf8(content))))}`
  }
  const hmac = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return `v1,${toBase64(new Uint8Array(await crypto.subtle.sign('HMAC', hmac, utf8(content))))}`
}

const toBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** Lists are cut until it fits; the link leads to all of it. */
function bodyFor({ alert }: Telling) {
  for (const size of [50, 10, 3, 0]) {
    const body = JSON.stringify(payload(alert, size))
    if (utf8(body).byteLength < maxBody) return body
  }
  return JSON.stringify(payload(alert, 0, 500))
}

function payload({ vuln, ...alert }: AlertFacts, size: number, maxSummary = 4_000) {
  const cut = (list: string[]) => list.slice(0, size).map((text) => cutText(text, 300))
  return {
    type: alert.rule === 'new' ? 'vulnerability.new' : 'vulnerability.updated',
    timestamp: alert.at,
    data: {
      alert_id: alert.id,
      organization: { id: alert.org_id, name: alert.org_name },
      rule: alert.rule,
      headline: alert.headline,
      vulnerability: {
        id: vuln.id,
        ph_id: `PH-${vuln.id}`,
        cveid: vuln.cveid,
        known_as: alert.name,
        summary: cutText(vuln.summary, maxSummary),
        url: alert.link,
        published: vuln.published,
        score: vuln.score,
        is_score_provisional: vuln.is_score_provisional,
        severity: alert.severity,
        cvss: vuln.cvss,
        cvss3: vuln.cvss3,
        cvss3_vector: vuln.cvss3_vector,
        cvss4: vuln.cvss4,
        epss: vuln.epss,
        kev: vuln.kev,
        is_exploitable: vuln.is_exploitable,
        is_confirmed: vuln.is_confirmed,
        exploit_count: vuln.exploit_count,
      },
      monitored_by: vuln.monitored_by.slice(0, size).map(({ via, name, vendor }) => ({ via, name, vendor })),
      changes: cut([...alert.changed, ...alert.came]),
      fixes: cut(alert.fixes),
      references: cut(vuln.reflinks),
    },
  }
}
