import { describeAction, describeImpact, identifiers, productName, productRef, vulnName } from './statement'
import type { VexStatement, VexSubject } from './statement'

/** Source: OpenVEX specification 0.2.0. */
export function writeOpenvex({ page, author, now }: VexSubject, statements: VexStatement[]) {
  return {
    '@context': 'https://openvex.dev/ns/v0.2.0',
    '@id': `${page}/vex/openvex/${now}`,
    author,
    timestamp: now,
    version: 1,
    statements: statements.map((statement) => ({
      vulnerability: { name: vulnName(statement), description: statement.summary },
      products: [identify(page, statement)],
      status: statement.status,
      ...(statement.status === 'not_affected' && explain(statement)),
      ...(statement.status === 'affected' && { action_statement: describeAction(statement) }),
      ...(statement.status !== 'affected' && statement.note && { status_notes: statement.note }),
      timestamp: statement.at,
    })),
  }
}

/** A component without a name that others know is named by its place in the inventory. */
function identify(page: string, statement: VexStatement) {
  const { purl, cpe } = identifiers(statement)
  const place = `${page}#${productRef(statement)}-${encodeURIComponent(productName(statement).toWellFormed())}`
  if (!purl && !cpe) return { '@id': place }
  return { '@id': purl || place, identifiers: { ...(purl && { purl }), ...(cpe && { cpe23: cpe }) } }
}

const explain = (statement: VexStatement) => ({
  ...(statement.justification && { justification: statement.justification }),
  impact_statement: describeImpact(statement),
})
