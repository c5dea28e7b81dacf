/** So many are named; the number tells of all. */
const maxNamed = 20

/** Target and detail of an entry of the audit log. */
export function describeVulns(vulns: { id: number; cveid: string | null }[], detail: Record<string, unknown>) {
  const names = vulns.slice(0, maxNamed).map(({ id, cveid }) => cveid ?? `PH-${id}`)
  if (vulns.length === 1) return { target: names.join(), detail }
  return { target: `${vulns.length} vulnerabilities`, detail: { ...detail, first: names } }
}

/** Null for somebody who is gone. */
export const toPerson = (id: number | null | undefined, name: string | null) =>
  id === null || id === undefined || name === null ? null : { id, name }
