import type { AffectedRange, VersionRange } from '../../worker/domain/words/record'

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

/** "semver >=1.0 <2.0 unaffected guess on Debian:11": loose where no order is named. */
export const asRange = (text: string) => ({ order: 'loose', ...readParts(text) }) as VersionRange

/** The same, with names of CPE alone ("a:1.0") or before their bounds ("a <2.0"). */
export const asRanges = (...texts: string[]) =>
  texts.map((text): AffectedRange => {
    const [, cpe, bounds] = /^([aoh](?::\S*)?)(?: (.*))?$/.exec(text) ?? []
    if (cpe === undefined) return asRange(text)
    return bounds === undefined ? cpe : { cpe, ...readParts(bounds) }
  })

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
