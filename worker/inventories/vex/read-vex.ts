import * as z from 'zod'
import { hubPrefix } from '../finding-contract'
import { BadDocument } from '../read/bad-document'
import { parseSlice } from '../read/json-text'
import { asAuthor, requireFewVulns, requireSome, type ReadVex } from './proposal'
import { readCsafVex } from './read-csaf-vex'
import { readCyclonedxVex } from './read-cyclonedx-vex'
import { readOpenvex } from './read-openvex'

const maxDepth = 100

export function readVex(text: string): ReadVex {
  requireFlat(text)
  const document = parseSlice(text, { start: 0, end: text.length })
  const members = z.record(z.string(), z.unknown()).safeParse(document).data ?? {}
  const read = findReader(members)(document)
  requireSome(read.proposals.reduce((sum, { products }) => sum + products.length, 0))
  requireFewVulns(read.proposals.reduce((sum, { vulns }) => sum + vulns.length, 0))
  return { ...read, author: asAuthor(read.author).replace(hubPrefix, 'VEX Hub,') }
}

function findReader(members: object): (document: unknown) => ReadVex {
  if ('bomFormat' in members) return readCyclonedxVex
  if ('statements' in members) return readOpenvex
  if ('document' in members) return readCsafVex
  throw new BadDocument('', 'The format is not known: CycloneDX VEX, OpenVEX and CSAF 2.0 VEX are')
}

// Signs inside of texts count, too: no document of these formats comes near the limit.
function requireFlat(text: string) {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x7b || code === 0x5b) depth++
    else if (code === 0x7d || code === 0x5d) depth = Math.max(0, depth - 1)
    if (depth > maxDepth) throw new BadDocument('', `It is nested deeper than ${maxDepth}`)
  }
}
