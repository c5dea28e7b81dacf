import * as z from 'zod'
import { vexJustifications, type VexJustification, type VexStatus } from '../../domain/decisions/vex'
import { BadDocument } from '../read/bad-document'

export type VexProposal = {
  /** Its names of the vulnerability, the main one first. */
  vulns: string[]
  products: string[]
  status: VexStatus
  justification: VexJustification | null
  note: string | null
}
export type ReadVex = { author: string; proposals: VexProposal[] }

export const Justification = z.enum(vexJustifications)

const maxProposals = 20_000
const tooMany = `There are more than ${maxProposals.toLocaleString('en')} statements`

/** Counted before any of them is read. */
export const listStatements = <Item extends z.ZodType>(item: Item) =>
  z.array(z.unknown()).max(maxProposals, tooMany).pipe(z.array(item))

export function requireSome(count: number) {
  if (count > maxProposals) throw new BadDocument('', tooMany)
}

/** Each is looked up in the database: a statement names its vulnerability by an id or two. */
const maxVulns = 50_000

export function requireFewVulns(count: number) {
  if (count > maxVulns)
    throw new BadDocument('', `There are more than ${maxVulns.toLocaleString('en')} names of vulnerabilities`)
}

/** An id in the letters that the knowledge base has it in. */
export const asWritten = (id: string) => {
  const trimmed = id.trim()
  if (/^ghsa-/i.test(trimmed)) return `GHSA-${trimmed.slice(5).toLowerCase()}`
  return /^(?:cve|ph)-/i.test(trimmed) ? trimmed.toUpperCase() : trimmed
}

export const maxNote = 1_000
const maxAuthor = 200
/** Characters that turn the direction of the text, and those that are no letters at all. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu

export const asAuthor = (text: string) => text.replace(unseen, ' ').trim().slice(0, maxAuthor) || 'Somebody'
