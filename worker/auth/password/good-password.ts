import { Buffer } from 'node:buffer'
import { brotliDecompressSync } from 'node:zlib'
import type { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { invalid } from '../../http/errors'
import { commonList } from './common-list'

export type Owner = { username?: string; email?: string; first_name?: string; last_name?: string }

const product = 'earshot'
/** Shorter parts of a name stand in many words by chance. */
const minNameLength = 4

/** Guesses as a power of ten: nine letters and signs by chance have 9, `Aa1!Aa1!Aa1!` has 4.5. */
const leastGuesses = 8.5
/** The estimate takes longer with each character; so many are strong already where they do not repeat. */
const estimated = 64

/** Refuses decorated forms of the commonest passwords, names of the owner or the product, and passwords that are guessed soon. */
export async function requireGoodPassword(password: string, owner: Owner, field = 'password') {
  const problem = findProblem(password, owner) ?? (await findWeakness(password))
  if (problem) throw invalid([{ path: [field], message: problem }])
}

function findProblem(password: string, { username, email, first_name, last_name }: Owner) {
  const forms = formsFor(password)
  if (forms.some((form) => common().has(form))) return 'This password is among the commonest: choose another'
  const names = [product, username, email?.slice(0, email.lastIndexOf('@')), first_name, last_name]
    .map((name) => (name ?? '').toLowerCase())
    .filter((name) => name.length >= minNameLength)
  if (forms.some((form) => names.some((name) => form.includes(name))))
    return 'The password must not hold your name or that of this product'
  return undefined
}

async function findWeakness(password: string) {
  const { guessesLog10 } = (await estimator()).check(password.slice(0, estimated))
  if (guessesLog10 >= leastGuesses) return undefined
  return 'This password is soon guessed: make it longer, without repetitions, rows of letters and years'
}

// Loaded when somebody chooses a password, as it takes memory and a hundredth of a second.
let made: ZxcvbnFactory | undefined
async function estimator() {
  const { ZxcvbnFactory: Factory } = await import('@zxcvbn-ts/core')
  return (made ??= new Factory({ dictionary: { common: [...common()] } }))
}

// "P@ssw0rd-2026!" is "password" with what the rules ask for around it.
function formsFor(password: string) {
  const lower = password.normalize('NFKC').toLowerCase()
  const letters = lower.replace(/[@0134578$!]/g, (char) => lookalikes.get(char) ?? char)
  return [...new Set([lower, letters].flatMap((form) => [form, trimmed(form), trimmed(readable(lower))]))]
}
const lookalikes = new Map(
  Object.entries({ '@': 'a', 0: 'o', 1: 'l', 3: 'e', 4: 'a', 5: 's', 7: 't', 8: 'b', $: 's', '!': 'i' }),
)

// Only what stands between letters is a letter in disguise; the rest at either end is decoration.
const readable = (lower: string) => trimmed(lower).replace(/[@0134578$!]/g, (char) => lookalikes.get(char) ?? char)

function trimmed(text: string) {
  const chars = [...text]
  const isLetter = (char: string) => /\p{L}/u.test(char)
  const [first, last] = [chars.findIndex(isLetter), chars.findLastIndex(isLetter)]
  return first === -1 ? text : chars.slice(first, last + 1).join('')
}

let loaded: Set<string> | undefined
const common = () => (loaded ??= unpacked())

function unpacked() {
  const words = new Set<string>()
  let word = ''
  for (const line of brotliDecompressSync(Buffer.from(commonList, 'base64')).toString().split('\n')) {
    word = word.slice(0, Number(line[0])) + line.slice(1)
    words.add(word)
  }
  return words
}
