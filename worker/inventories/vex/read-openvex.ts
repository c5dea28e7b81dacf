import * as z from 'zod'
import { vexStatuses } from '../../domain/decisions/vex'
import { parseMember } from '../read/json-text'
import { Justification, listStatements, type ReadVex } from './proposal'

const Named = z.object({ '@id': z.string().optional(), identifiers: z.record(z.string(), z.unknown()).optional() })
/** Source: OpenVEX 0.2.0. */
export const OpenvexStatement = z.object({
  vulnerability: z.object({ name: z.string(), aliases: z.array(z.string()).optional() }),
  timestamp: z.string().optional(),
  products: z.array(Named.extend({ subcomponents: z.array(Named).optional() })).optional(),
  status: z.enum(vexStatuses),
  justification: Justification.optional(),
  impact_statement: z.string().optional(),
  action_statement: z.string().optional(),
  status_notes: z.string().optional(),
})
const Openvex = z.object({
  '@context': z.string().startsWith('https://openvex.dev/ns', 'Must be that of OpenVEX'),
  author: z.string().min(1),
  timestamp: z.string().optional(),
  statements: listStatements(OpenvexStatement),
})

/**
 * Source: OpenVEX 0.2.0. A statement that names parts of a product is about these; of several about one thing the latest counts
 * and comes last.
 */
export function readOpenvex(document: unknown): ReadVex {
  const { author, timestamp, statements } = parseMember(Openvex, document, '')
  const at = (own: string | undefined) => Date.parse(own ?? timestamp ?? '') || 0
  const inTime = statements.toSorted((a, b) => at(a.timestamp) - at(b.timestamp))
  const proposals = inTime.map((statement) => ({
    vulns: [statement.vulnerability.name, ...(statement.vulnerability.aliases ?? [])],
    products: (statement.products ?? []).flatMap(({ subcomponents, ...product }) =>
      (subcomponents?.length ? subcomponents : [product]).flatMap(namesIn),
    ),
    status: statement.status,
    justification: statement.justification ?? null,
    note: noteIn(statement),
  }))
  return { author, proposals }
}

export const noteIn = (statement: z.output<typeof OpenvexStatement>) =>
  statement.impact_statement ?? statement.action_statement ?? statement.status_notes ?? null

export const namesIn = (named: z.output<typeof Named>) => [
  ...(named['@id'] ? [named['@id']] : []),
  ...Object.values(named.identifiers ?? {}).filter((one) => typeof one === 'string'),
]
