import type { VexStatus } from '../../domain/decisions/vex'
import { describeAction, describeImpact, identifiers, productName, productRef, vulnName } from './statement'
import type { VexStatement, VexSubject } from './statement'

const lists: Record<VexStatus, string> = {
  affected: 'known_affected',
  not_affected: 'known_not_affected',
  fixed: 'fixed',
  under_investigation: 'under_investigation',
}

/** CSAF 2.0, profile 5 (VEX): each vulnerability once, with what is said of each product. */
export function writeCsafVex(subject: VexSubject, statements: VexStatement[]) {
  const { name, author, page, now } = subject
  const products = new Map(statements.map((statement) => [productRef(statement), statement]))
  const byVuln = Map.groupBy(statements, vulnName)
  return {
    document: {
      category: 'csaf_vex',
      csaf_version: '2.0',
      lang: 'en',
      title: `Vulnerabilities of ${name}`,
      publisher: { category: 'user', name: author, namespace: new URL(page).origin },
      tracking: {
        id: `earshot-${encodeURIComponent(name)}`,
        status: 'final',
        version: '1',
        initial_release_date: now,
        current_release_date: now,
        revision_history: [{ date: now, number: '1', summary: 'As it stands on this day' }],
      },
    },
    product_tree: { full_product_names: [...products].map(([product_id, one]) => toProduct(product_id, one)) },
    vulnerabilities: [...byVuln].map(([id, found]) => toVulnerability(id, found)),
  }
}

function toProduct(product_id: string, statement: VexStatement) {
  const helper = identifiers(statement)
  const product_identification_helper = Object.keys(helper).length ? { product_identification_helper: helper } : {}
  return { product_id, name: productName(statement), ...product_identification_helper }
}

function toVulnerability(id: string, statements: VexStatement[]) {
  const refs = (...statuses: VexStatus[]) => statements.filter(({ status }) => statuses.includes(status))
  const product_status = Object.fromEntries(
    [...Map.groupBy(statements, ({ status }) => lists[status])].map(([list, found]) => [list, found.map(productRef)]),
  )
  const flags = refs('not_affected').flatMap((one) =>
    one.justification ? [{ label: one.justification, product_ids: [productRef(one)] }] : [],
  )
  const threats = refs('not_affected').map((one) => ({
    category: 'impact',
    details: describeImpact(one),
    product_ids: [productRef(one)],
  }))
  const remediations = refs('affected').map((one) => ({
    category: one.fixed_in ? 'vendor_fix' : 'none_available',
    details: describeAction(one),
    product_ids: [productRef(one)],
  }))
  const isCve = /^CVE-\d{4}-\d{4,}$/.test(id)
  return {
    ...(isCve ? { cve: id } : { ids: [{ system_name: 'Earshot', text: id }] }),
    notes: [{ category: 'description', text: statements[0]?.summary || id }, ...detailNotes(refs)],
    product_status,
    ...(flags.length && { flags }),
    ...(threats.length && { threats }),
    ...(remediations.length && { remediations }),
  }
}

/** CSAF has no other place for why something is fixed or looked into. */
const detailNotes = (refs: (...statuses: VexStatus[]) => VexStatement[]) =>
  refs('fixed', 'under_investigation').flatMap((one) =>
    one.note ? [{ category: 'details', title: productName(one), text: one.note }] : [],
  )
