type Technique = { external_id: string; url: string; description: string }

/** `weakness`: an attack pattern of its CWE uses it. `exposure`: it is reached over a network without authentication. */
export const techniqueReasons = ['exposure', 'weakness'] as const

/** ATT&CK, T1190: a reachable service without an account is attacked there first. */
const publicFacing: Technique = {
  external_id: 'T1190',
  url: 'https://attack.mitre.org/techniques/T1190',
  description: 'Exploit Public-Facing Application',
}

type Access = { vector: string | null; authentication: string | null }

/**
 * The technique that follows from its access comes first. None attacks over a network a flaw that no network reaches, whatever its weakness may say.
 */
export function listTechniques(ofWeakness: Technique[], { vector, authentication }: Access) {
  const isExposed = vector === 'NETWORK' && authentication === 'NONE'
  const exposed = isExposed ? [{ ...publicFacing, reason: 'exposure' as const }] : []
  const isDistant = !isExposed && (vector === null || vector === 'NETWORK')
  const others = ofWeakness.filter(({ external_id }) => isDistant || external_id !== publicFacing.external_id)
  return [...exposed, ...others.map((technique) => ({ ...technique, reason: 'weakness' as const }))]
}
