import type { AffectedRange, CpeRange, VersionRange } from '../../worker/domain/words/record'

const marks = new Map([
  ['guess', 'is_guess'],
  ['disputed', 'is_disputed'],
  ['by_summary', 'is_by_summary'],
  ['fix_unstated', 'is_fix_unstated'],
])
const signs = new Map([
  ['=', 'is'],
  ['>=', 'ge'],
  ['>', 'gt'],
  ['<=', 'le'],
  ['<', 'lt'],
])

type Cpe = `${'a' | 'o' | 'h'}${' ' | ':'}${string}`

/** "semver >=1.0 <2.0 unaffected guess on Debian:11", loose where no order is named, or "a <2.0": bounds behind a name of CPE. */
export const asRange = <Text extends string>(text: Text) =>
  readRange(text) as Text extends Cpe ? CpeRange : VersionRange

/** The same, with names of CPE alone ("a:1.0"). */
export const asRanges = (...texts: string[]) => texts.map(readRange)

function readRange(text: string): AffectedRange {
  const [, cpe, bounds] = /^([aoh](?::\S*)?)(?: (.*))?$/.exec(text) ?? []
  if (cpe === undefined) return { order: 'loose', ...readParts(text) }
  return bounds === undefined ? cpe : { cpe, ...readParts(bounds) }
}

function readParts(text: string) {
  const [, parts = '', on] = /^(.*?)(?: on (.*))?$/.exec(text) ?? []
  const fields = parts.split(' ').map((part): [string, string | true] => {
    const [, sign = '', version = ''] = /^([<>]?=?)(.*)$/.exec(part) ?? []
    const mark = marks.get(part)
    if (mark !== undefined) return [mark, true]
    return [signs.get(sign) ?? (part === 'unaffected' || part === 'unknown' ? 'status' : 'order'), version]
  })
  return Object.fromEntries([...fields, ...(on === undefined ? [] : [['on', on] as const])])
}
