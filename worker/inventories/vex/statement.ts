import { formatCpe, parseCpe } from '../../domain/names/cpe'
import { parsePurl } from '../../domain/names/purl'
import type { VexJustification, VexStatus } from '../../domain/decisions/vex'

export type VexStatement = {
  vuln_id: number
  cveid: string | null
  summary: string
  component: { id: number; name: string; version: string | null; purl: string | null; cpe: string | null }
  status: VexStatus
  justification: VexJustification | null
  note: string | null
  fixed_in: string | null
  at: string
}

export type VexSubject = { name: string; page: string; author: string; now: string }

export const vulnName = ({ cveid, vuln_id }: VexStatement) => cveid ?? `PH-${vuln_id}`
export const productRef = ({ component }: VexStatement) => `component-${component.id}`

export function productName({ component: { name, version } }: VexStatement) {
  return version ? `${name} ${version}` : name
}

export const describeAction = ({ note, fixed_in, component }: VexStatement) =>
  note || (fixed_in ? `Upgrade ${component.name} to ${fixed_in}` : 'No source names a version that fixes it yet')

export const describeImpact = ({ note, justification }: VexStatement) =>
  note || (justification?.replaceAll('_', ' ') ?? 'Judged not to be affected')

/**
 * One for each product and name, because a document must not contradict itself: an organization's own vulnerability and a public one
 * may share a CVE id. The worst counts.
 */
export function settleStatements(statements: VexStatement[]) {
  const byName = Map.groupBy(statements, (one) => `${vulnName(one)} ${productRef(one)}`)
  return [...byName.values()].flatMap((same) => same.toSorted((a, b) => severity(a) - severity(b)).slice(0, 1))
}

const worstFirst: VexStatus[] = ['affected', 'under_investigation', 'fixed', 'not_affected']
const severity = ({ status }: VexStatement) => worstFirst.indexOf(status)

/** Leaves out what a document sent as a name and is none. */
export function identifiers({ component: { purl, cpe } }: VexStatement) {
  const parsed = cpe ? parseCpe(cpe) : null
  const formatted = parsed && formatCpe(parsed)
  return {
    ...(purl && /^pkg:[a-zA-Z.+-]/.test(purl) && uriPattern.test(purl) && parsePurl(purl) && { purl }),
    ...(formatted && cpePattern.test(formatted) && { cpe: formatted }),
  }
}

const uriPart = /(?:[\w.~:/@!$&'()*+,;=-]|%[\dA-Fa-f]{2})/.source
const uriPattern = new RegExp(`^${uriPart}+(?:\\?${uriPart}*)?(?:#${uriPart}*)?$`)

// NISTIR 7695 has letters of ASCII alone, wildcards at both ends, and languages by their codes; documents hold others, too.
const cpeValue = /(?:\*|(?:\?+|\*)?(?:[\w.-]|\\[\\*?!"#$%&'()+,/:;<=>@[\]^`{|}~])+(?:\?+|\*)?)/.source
const cpeLanguage = /(?:[a-z]{2,3}(?:-(?:[a-z]{2}|\d{3}))?|[*-])/.source
const cpePattern = new RegExp(`^cpe:2\\.3:[aho](?::${cpeValue}){5}:${cpeLanguage}(?::${cpeValue}){4}$`)
