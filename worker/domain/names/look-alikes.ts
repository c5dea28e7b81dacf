/** Ways to be taken for another name: one letter more, less or other; two letters or parts swapped; its scope dropped. */
export const likenesses = ['letter', 'swapped', 'scope'] as const
type Likeness = (typeof likenesses)[number]

export const likenessWords: Record<Likeness, string> = {
  letter: 'one letter is different',
  swapped: 'two letters or parts are swapped',
  scope: 'its scope is missing',
}

/** In shorter names one letter makes another word; longer ones nobody mistypes so. */
const [leastLetters, mostLetters] = [5, 60]
/** Every package of this scope of npm describes the one that its name has without it. */
const typesScope = '@types/'

/** Two names in lower case without a scope of their own, as a purl has them. */
const listSwapped = (name: string) => {
  const parts = name.split('-')
  const letters = Array.from({ length: Math.max(0, name.length - 1) }, (_, at) =>
    [name.slice(0, at), name[at + 1], name[at], name.slice(at + 2)].join(''),
  )
  return parts.length === 2 ? [...letters, parts.toReversed().join('-')] : letters
}

/** Names of `@scope/name` without its scope. */
const listUnscoped = (name: string) => {
  const [, scope, own] = /^@([^/]+)\/(.+)$/.exec(name) ?? []
  return scope && own && !name.startsWith(typesScope) ? [own, `${scope}-${own}`] : []
}

/** Whether one letter more, less or other makes one name the other; other digits are another release, such as `log4j2`. */
function isLetterApart(name: string, of: string) {
  const [short, long] = name.length <= of.length ? [name, of] : [of, name]
  if (short.length < leastLetters || long.length > mostLetters || long.length - short.length > 1) return false
  let at = 0
  while (at < short.length && short[at] === long[at]) at++
  const isSameLength = short.length === long.length
  const rest = isSameLength ? short.slice(at + 1) : short.slice(at)
  const changed = (long[at] ?? '') + (isSameLength ? (short[at] ?? '') : '')
  return rest === long.slice(at + 1) && !/\d/.test(changed)
}

/**
 * How a package name looks like another one of the same ecosystem, both as their purl has them; null where it does not. A hint, no
 * verdict: most that are alike are innocent.
 */
export function findLikeness(name: string, of: string): Likeness | null {
  if (name === of) return null
  if (listUnscoped(of).includes(name)) return 'scope'
  if (name.length > mostLetters || name.length < leastLetters) return null
  if (listSwapped(name).includes(of)) return 'swapped'
  return isLetterApart(name, of) ? 'letter' : null
}

const base = 16_777_619
const append = (hash: number, letter: number) => (Math.imul(hash, base) + letter) | 0
const hashText = (text: string) => {
  let hash = 0
  for (let at = 0; at < text.length; at++) hash = append(hash, text.charCodeAt(at))
  return hash
}

/** The hash of a text without each of the letters of the name that ends it, in one pass from each side. */
function hashDeletions(before: string, name: string) {
  const starts: number[] = []
  let hash = hashText(before)
  for (let at = 0; at < name.length; at++) {
    starts.push(hash)
    hash = append(hash, name.charCodeAt(at))
  }
  let [rest, power] = [0, 1]
  const hashes: number[] = []
  for (let at = name.length - 1; at >= 0; at--) {
    hashes.push((Math.imul(starts[at] ?? 0, power) + rest) | 0)
    rest = (Math.imul(name.charCodeAt(at), power) + rest) | 0
    power = Math.imul(power, base)
  }
  return hashes
}

/**
 * Hashes of 32 bits, of which look-alikes share one: of the name, of its other forms, and of the name without each letter, which two
 * that differ by a letter or by two swapped ones share.
 */
function listKeys({ type, name }: { type: string; name: string }) {
  const before = `${type} `
  const parts = name.split('-')
  const others = [...listUnscoped(name), ...(parts.length === 2 ? [parts.toReversed().join('-')] : [])]
  const without = name.length > mostLetters ? [] : hashDeletions(before, name)
  return [...[name, ...others].map((one) => hashText(before + one)), ...without]
}

type Alike<Known> = { known: Known; likeness: Likeness }

/** Finds among known names what another one looks like, at a cost of the names' lengths: none is compared with each. */
export function indexNames<Known extends { type: string; name: string }>(all: readonly Known[]) {
  const keyed = new Map<number, Known[]>()
  for (const known of all)
    for (const key of listKeys(known)) {
      const others = keyed.get(key)
      if (others) others.push(known)
      else keyed.set(key, [known])
    }
  const names = new Set(all.map(({ type, name }) => `${type} ${name}`))
  return ({ type, name }: { type: string; name: string }): Alike<Known>[] => {
    // A name among them was chosen by somebody.
    if (names.has(`${type} ${name}`)) return []
    const near = new Set(listKeys({ type, name }).flatMap((key) => keyed.get(key) ?? []))
    return [...near].flatMap((known) => {
      const likeness = known.type === type ? findLikeness(name, known.name) : null
      return likeness ? [{ known, likeness }] : []
    })
  }
}
