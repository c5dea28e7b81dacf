import * as z from 'zod'
import { vexJustifications } from '../../domain/decisions/vex'
import type { VexJustification, VexStatus } from '../../domain/decisions/vex'
import { BadDocument } from '../read/bad-document'

export type VexProposal = {
  /** What it calls the vulnerability, its main name first. */
  vulns: string[]
  products: string[]
  status: VexStatus
  justification: VexJustification | null
  note: string | null
}
export type ReadVex = { author: string; proposals: VexProposal[] }

export const Justification = z.enum(vexJustifications)

const maxProposals = 20_000

export function requireSome(count: number) {
  if (count > maxProposals)
    throw new BadDocument('', `There are more than ${maxProposals.toLocaleString('en')} statements`)
}
