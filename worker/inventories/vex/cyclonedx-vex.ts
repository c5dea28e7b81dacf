import type { VexJustification, VexStatus } from '../../domain/decisions/vex'
import { describeAction, identifiers, productRef, vulnName, type VexStatement, type VexSubject } from './statement'

const states: Record<VexStatus, string> = {
  affected: 'exploitable',
  not_affected: 'not_affected',
  fixed: 'resolved',
  under_investigation: 'in_triage',
}

/** CycloneDX has words of its own: the nearest is taken, and the one that was chosen stands in the detail. */
const justifications: Record<VexJustification, string> = {
  component_not_present: 'code_not_present',
  vulnerable_code_not_present: 'code_not_present',
  vulnerable_code_not_in_execute_path: 'code_not_reachable',
  vulnerable_code_cannot_be_controlled_by_adversary: 'requires_environment',
  inline_mitigations_already_exist: 'protected_by_mitigating_control',
}

/** Source: CycloneDX 1.6, "vulnerabilities". */
export function writeCyclonedxVex({ name, author, now }: VexSubject, statements: VexStatement[]) {
  const components = new Map(statements.map((statement) => [productRef(statement), statement]))
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: now,
      component: { type: 'application', name, 'bom-ref': 'inventory' },
      authors: [{ name: author }],
    },
    components: [...components].map(([ref, statement]) => ({
      type: 'library',
      'bom-ref': ref,
      name: statement.component.name,
      ...(statement.component.version && { version: statement.component.version }),
      ...identifiers(statement),
    })),
    vulnerabilities: statements.map((statement) => ({
      id: vulnName(statement),
      description: statement.summary,
      ...(statement.status === 'affected' && { recommendation: describeAction(statement) }),
      analysis: {
        state: states[statement.status],
        ...(statement.justification && { justification: justifications[statement.justification] }),
        ...(detail(statement) && { detail: detail(statement) }),
        lastUpdated: statement.at,
      },
      affects: [{ ref: productRef(statement) }],
    })),
  }
}

const detail = ({ justification, note }: VexStatement) => [justification, note].filter(Boolean).join(': ')
