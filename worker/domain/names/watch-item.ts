import * as z from 'zod'
import { canonicalId, isAdvisoryId, isCveId, parsePhId } from './cve'
import { oneLine } from '../people/name'
import { normalizePackageName, packageType, parsePurl } from './purl'

/** Kinds of items that an organization can watch. */
export const watchedKinds = ['vendor', 'product', 'package', 'vuln'] as const
export type WatchedKind = (typeof watchedKinds)[number]
export const byKind = <Of>(make: (kind: WatchedKind) => Of): Record<WatchedKind, Of> => ({
  vendor: make('vendor'),
  product: make('product'),
  package: make('package'),
  vuln: make('vuln'),
})
/** Kinds of things that may be publicly exposed, or not. */
export const exposedKinds = [...watchedKinds, 'group', 'inventory'] as const
export type ExposedKind = (typeof exposedKinds)[number]

const maxGroups = 20
export const maxVersions = 20
/** Signs between several labels or versions in one text. */
const separators = /[;,\n]/

/** A label of a group: lower case, so that `group:DMZ` and `group:dmz` are one. */
export const GroupLabel = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} _.:/+-]{0,39}$/u, 'A group has up to 40 letters, digits and signs of _.:/+-')

const RunVersion = z
  .string()
  .trim()
  .min(1)
  .max(100, 'A version has at most 100 characters')
  .regex(oneLine, 'A version must be one line, without control characters and marks that turn the direction of text')
  .refine((text) => !separators.test(text), 'A version has no comma and no semicolon')

const unique = <Item>(items: Item[]) => [...new Set(items)]
export const GroupLabels = z.array(GroupLabel).max(maxGroups, `At most ${maxGroups} groups`).transform(unique)
export const RunVersions = z.array(RunVersion).max(maxVersions, `At most ${maxVersions} versions`).transform(unique)

/** The labels or versions that stand in one text: "3.0.13, 1.1.1w". */
export const splitList = (text: string) =>
  text
    .split(separators)
    .map((part) => part.trim())
    .filter(Boolean)

/** An item to watch: the names that it may have, the likeliest first, and the text as written. */
export type Wanted =
  | { kind: 'vendor'; names: string[]; value: string }
  | { kind: 'product' | 'package'; names: [first: string, name: string][]; value: string }
  | { kind: 'vuln'; id: number | null; cveid: string | null; value: string }

const maxName = 500
/** No name has more colons; this limits the lookups for one text. */
const maxSplits = 4

/** Reads the value of a line: `vendor`, `vendor:product`, `type:name` or a purl, `PH-12`, a CVE id or that of an advisory; else says what was expected. */
export function parseWanted(kind: WatchedKind, text: string): Wanted | { expected: string } {
  const value = text.trim()
  if (!value) return { expected: 'a value' }
  if (value.length > maxName) return { expected: `at most ${maxName} characters` }
  if (!oneLine.test(value))
    return { expected: 'one line, without control characters and marks that turn the direction of text' }
  switch (kind) {
    case 'vendor':
      return { kind, names: unique([cpeName(value), value]), value: cpeName(value) }
    case 'product': {
      const names = splits(value).flatMap(([vendor, name]): [string, string][] => [
        [cpeName(vendor), cpeName(name)],
        [vendor, name],
      ])
      const [first] = names
      if (!first) return { expected: 'vendor:product' }
      return { kind, names, value: first.join(':') }
    }
    case 'package':
      return parsePackage(value)
    case 'vuln':
      return parseVuln(value)
  }
}

/** Vendors and products are named in lower case, with underscores for spaces, as CPE names them. */
const cpeName = (text: string) => text.trim().toLowerCase().replaceAll(' ', '_')

function splits(text: string): [string, string][] {
  const found: [string, string][] = []
  for (let at = text.indexOf(':'); at !== -1 && found.length < maxSplits; at = text.indexOf(':', at + 1)) {
    const [before, after] = [text.slice(0, at).trim(), text.slice(at + 1).trim()]
    if (before && after) found.push([before, after])
  }
  return found
}

function parsePackage(text: string): Wanted | { expected: string } {
  const purl = text.startsWith('pkg:') ? parsePurl(text) : null
  const [pair] = purl ? [[purl.type, purl.name] as const] : splits(text)
  if (!pair) return { expected: 'type:name, such as npm:lodash' }
  const type = packageType(pair[0])
  const name = normalizePackageName(type, pair[1])
  return { kind: 'package', names: [[type, name]], value: `${type}:${name}` }
}

function parseVuln(text: string): Wanted | { expected: string } {
  const id = parsePhId(/^\d{1,15}$/.test(text) ? `PH-${text}` : text)
  if (id !== null) return { kind: 'vuln', id, cveid: null, value: `PH-${id}` }
  const cveid = text.toUpperCase()
  if (isCveId(cveid)) return { kind: 'vuln', id: null, cveid, value: cveid }
  if (isAdvisoryId(text)) return { kind: 'vuln', id: null, cveid: canonicalId(text), value: canonicalId(text) }
  return { expected: 'a PH number, a CVE id or the id of an advisory' }
}
