import { describeAction, describeImpact, productName, productRef, vulnName } from './statement'
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
      products: [
        {
          '@id': statement.component.purl ?? `${page}#${encodeURIComponent(productRef(statement))}`,
          ...identify(statement),
        },
      ],
      status: statement.status,
      ...(statement.status === 'not_affected' && explain(statement)),
      ...(statement.status === 'affected' && { action_statement: describeAction(statement) }),
      ...(statement.status !== 'affected' && statement.note && { status_notes: statement.note }),
      timestamp: statement.at,
    })),
  }
}

function identify(statement: VexStatement) {
  const { purl, cpe } = statement.component
  const identifiers = { ...(purl && { purl }), ...(cpe?.startsWith('cpe:2.3:') && { cpe23: cpe }) }
  return Object.keys(identifiers).length
    ? { identifiers }
    : { '@id': `urn:earshot:${encodeURIComponent(productName(statement))}` }
}

const explain = (statement: VexStatement) => ({
  ...(statement.justification && { justification: statement.justification }),
  impact_statement: describeImpact(statement),
})
