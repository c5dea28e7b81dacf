// A slow judge of Red Hat's builds by what its records say by the letter, written from the documents of the Security Data API
// (`affected_release`: the errata that fix, release by release; `package_state`: releases without a fix) and from
// rpm-version(7), without our code. Modules, images, flatpaks and bare names are not asked.

export type RawRedhat = {
  name: string
  affected_release?: { product_name: string; package?: string }[]
  package_state?: { product_name: string; package_name: string; fix_state: string }[]
}
type Build = { epoch: string; version: string; release: string }
/** A record's statement on one package in one release: the builds that fix it, or its words where none does. */
export type RedhatSaying = { name: string; release: string; fixes: string[]; states: string[] }

const affectedStates = ['Affected', 'Fix deferred', 'Will not fix', 'Out of support scope']
const unknownStates = ['Under investigation']

/** name-epoch:version-release, cut from behind, as RPM names a build. */
function splitBuild(text: string) {
  const parts = text.split('-')
  const [release, version, ...name] = [parts.pop() ?? '', parts.pop() ?? '', ...parts]
  const isBuild = /^\d+:[^:]+$/.test(version) && name.length > 0 && !text.includes('/')
  return isBuild ? { name: name.join('-'), evr: `${version}-${release}` } : null
}

function splitEvr(evr: string): Build {
  const [epoch = '', rest = ''] = evr.split(':')
  const at = rest.lastIndexOf('-')
  return { epoch, version: rest.slice(0, at), release: rest.slice(at + 1) }
}

/** Package by package and release by release; null for what is no plain package there. */
export function listRedhatSayings({ affected_release = [], package_state = [] }: RawRedhat): RedhatSaying[] {
  const found = new Map<string, RedhatSaying>()
  const streams = new Set<string>()
  const at = (name: string, release: string) => {
    const key = `${name} on ${release}`
    const saying = found.get(key) ?? { name, release, fixes: [], states: [] }
    found.set(key, saying)
    return saying
  }
  for (const { product_name, package: text = '' } of affected_release) {
    const build = splitBuild(text)
    if (build) at(build.name, product_name).fixes.push(build.evr)
    else if (!/[/:]/.test(text)) streams.add(`${text.replace(/-[^-]*-[^-]*$/, '')} on ${product_name}`)
  }
  for (const { product_name, package_name, fix_state } of package_state)
    if (/[/:]/.test(package_name)) streams.add(`${package_name.split('/').at(-1)} on ${product_name}`)
    else at(package_name, product_name).states.push(fix_state)
  return [...found].flatMap(([key, saying]) => (streams.has(key) ? [] : [saying]))
}

/** The build before each fix, the fix and those behind it; any build where nothing fixes. */
export function listAskedBuilds({ fixes }: RedhatSaying) {
  const named = [...new Set(fixes)].slice(0, 2)
  return named.length ? [...new Set(named.flatMap(listBuildsBeside))] : ['0:0-0', '9:999-9']
}

function listBuildsBeside(evr: string) {
  const { epoch, version, release } = splitEvr(evr)
  const [, first = '', rest = ''] = /^(\d*)(.*)$/s.exec(release) ?? []
  const before = Number(first) > 0 ? [`${epoch}:${version}-${Number(first) - 1}${rest}`] : []
  return [...before, evr, `${evr}.1`, `${epoch}:${version}.0.1-${release}`, `${Number(epoch) + 1}:0-1`]
}

/** A release is fixed by the last of its errata; where one of its statements says affected, it is. */
export function judgeRedhatBuild(evr: string, { fixes, states }: RedhatSaying) {
  const isBefore = fixes.some((fix) => compareEvr(evr, fix) < 0)
  if (isBefore || states.some((state) => affectedStates.includes(state))) return 'affected'
  return states.some((state) => unknownStates.includes(state)) ? 'unknown' : 'not_affected'
}

function compareEvr(one: string, other: string) {
  const [a, b] = [splitEvr(one), splitEvr(other)]
  return Number(a.epoch) - Number(b.epoch) || compareLabels(a.version, b.version) || compareLabels(a.release, b.release)
}

/** Rpm-version(7): runs of digits and of letters in turn; a tilde sorts before the end, a caret behind it, numbers above letters. */
function compareLabels(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => text.replace(/^[^a-z0-9~^]+/i, ''))
  if (a === undefined || b === undefined || (!a && !b)) return 0
  for (const [mark, sign] of [
    ['~', -1],
    ['^', 1],
  ] as const) {
    if (a.startsWith(mark) && b.startsWith(mark)) return compareLabels(a.slice(1), b.slice(1))
    if (a.startsWith(mark)) return b || mark === '~' ? -1 : sign
    if (b.startsWith(mark)) return a || mark === '~' ? 1 : -sign
  }
  if (!a || !b) return a ? 1 : -1
  const [left, right] = [/^(?:\d+|[a-z]+)/i.exec(a)?.[0] ?? '', /^(?:\d+|[a-z]+)/i.exec(b)?.[0] ?? '']
  const [isNumber, isOtherNumber] = [/^\d/.test(left), /^\d/.test(right)]
  if (isNumber !== isOtherNumber) return isNumber ? 1 : -1
  const difference = isNumber ? Number(BigInt(left) - BigInt(right)) : left < right ? -1 : Number(left > right)
  return difference || compareLabels(a.slice(left.length), b.slice(right.length))
}
