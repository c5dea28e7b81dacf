import { isExploitedBy } from '../domain/names/catalogues'
import type { Plan } from './plan-writes'
import type { Writes } from './writes'

export function planListed(writes: Writes, { cveid, before, was, merged, undated_at }: Plan) {
  const exploits = differing(was?.exploits ?? [], merged.exploits)
  const threats = differing(was?.threats ?? [], merged.threats)
  const claims = differing(was?.claims ?? [], merged.claims)
  const dated = <One extends { published?: string; modified?: string }>(one: One) => ({
    ...one,
    modified: one.modified ?? one.published ?? undated_at,
  })
  for (const one of exploits.put) writes.exploits.push([cveid, { purpose: 'exploit', ...dated(one) }])
  for (const one of threats.put) writes.threats.push([cveid, dated(one)])
  for (const one of claims.put) writes.claims.push([cveid, { ...one, is_exploited: isExploitedBy(one) }])
  const aliases = new Set(was?.aliases)
  for (const alias of merged.aliases) if (!aliases.delete(alias)) writes.aliases.push([cveid, alias])
  if (!before) return

  for (const key of exploits.gone) writes.goneExploits.push([before.id, key])
  for (const key of threats.gone) writes.goneThreats.push([before.id, key])
  // Of a rejected vulnerability nobody asks what the catalogues say; they withdrew nothing.
  if (merged.state !== 'rejected') for (const key of claims.gone) writes.goneClaims.push([before.id, key])
  for (const alias of aliases) writes.goneAliases.push([before.id, alias])
}

function differing<One extends { key: string }>(before: One[], after: One[]) {
  const old = new Map(before.map((one) => [one.key, JSON.stringify(one)]))
  const put = after.filter((one) => old.get(one.key) !== JSON.stringify(one))
  for (const { key } of after) old.delete(key)
  return { put, gone: [...old.keys()] }
}
