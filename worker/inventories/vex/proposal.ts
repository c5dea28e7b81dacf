import { z } from 'zod'
import { vexJustifications } from '../../domain/vex'
import type { VexJustification, VexStatus } from '../../domain/vex'

export type VexProposal = {
  vuln: string
  products: string[]
  status: VexStatus
  justification: VexJustification | null
  note: string | null
}
export type ReadVex = { author: string; proposals: VexProposal[] }

export const Justification = z.enum(vexJustifications)
