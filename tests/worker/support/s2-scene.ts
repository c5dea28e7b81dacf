import type { World } from './world'
import { emptyOrg, signedInAs } from './victim'

export type Given = { org_id: number; exploit_id: number; threat_id: number }
export type Body = Record<string, unknown>

/** An organization that monitors vulnerability 1, with an exploit and a threat activity of its own. */
export async function anS2Scene(world: World) {
  const { org_id, aUser } = await emptyOrg(world, 'scene')
  const authorization = await signedInAs(world, await aUser('boss', { is_org_admin: true }))
  const ask = async (method: string, path: string, body: Body | null = null) =>
    world.request(path, {
      method,
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
  const add = async (kind: string) => {
    const added = await ask('POST', `/api/vulns/1/${kind}/add`, { link: `https://acme.example/${kind}` })
    return ((await added.json()) as { id: number }).id
  }
  await ask('PUT', '/api/vulns/1/toggle', { monitored: true })
  return { org_id, exploit_id: await add('exploits'), threat_id: await add('threats'), ask }
}

export const vulnForm = {
  summary: 'A flaw of ours',
  cvss2_vector: 'AV:N/AC:L/Au:N/C:P/I:P/A:P',
  references: 'https://acme.example/a, https://acme.example/b\nhttps://acme.example/c',
  cpes: 'cpe:2.3:a:acme:widget:1.5:*:*:*:*:*:*:*',
  products: [1],
}
