import { fromCve5 } from '../../worker/feeds/cve5/record'
import { Cve5 } from '../../worker/feeds/cve5/schema'
import { aCve5 } from './cve5'

export const readCve5 = (raw: unknown) => fromCve5(Cve5.parse(raw))

/** The record of a CVE with these containers. */
export const readContainers = (cna: Record<string, unknown>, adp?: Record<string, unknown>[]) =>
  readCve5(aCve5('CVE-2026-0001', cna, adp))
