/** A piece of a query; `from` and `to` are where it stands, counted in UTF-16 units from 0. */
export type Token = { from: number; to: number } & (
  | { kind: 'word' | 'text'; text: string }
  | { kind: 'operator'; text: string }
  | { kind: 'open' | 'close' }
)

/** Fault of a query, and its place; `at` counts from 1, as people do. */
export type Problem = { message: string; from: number; to: number }

export const maxLength = 2_000
const maxTokens = 200

const space = /\s/
const operator = /^(>=|<=|~~|[><=:~])/
/** After a minus at the beginning of a word, which negates it. */
const beginsTerm = /[\p{L}\p{N}("-]/u
const endOfWord = /[\s()"<>=:~]/
// The value after an operator may itself hold colons and equals signs: a CPE name, a time, a vector.
const endOfValue = /[\s()"]/

/** `from` and `to` count from 0, `to` not included. */
export const problemAt = (message: string, from: number, to = from): Problem => ({
  message: `${message} at ${from + 1}`,
  from,
  to,
})

/** Cuts a query into words, quoted texts, operators and parentheses. */
export function tokenize(text: string): Token[] | Problem {
  if (text.length > maxLength) return problemAt(`A query has at most ${maxLength} characters: it goes on`, maxLength)

  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    if (space.test(text.charAt(at))) {
      at++
      continue
    }
    if (tokens.length === maxTokens)
      return problemAt(`A query has at most ${maxTokens} words and signs: it goes on`, at)
    const token = readToken(text, at, tokens.at(-1)?.kind === 'operator')
    if ('message' in token) return token
    tokens.push(token)
    at = token.to
  }
  return tokens
}

function readToken(text: string, from: number, isValue: boolean): Token | Problem {
  const character = text.charAt(from)
  if (character === '(') return { kind: 'open', from, to: from + 1 }
  if (character === ')') return { kind: 'close', from, to: from + 1 }
  if (character === '"') return readQuoted(text, from)
  if (!isValue && character === '-' && beginsTerm.test(text.slice(from + 1, from + 2)))
    return { kind: 'word', text: 'NOT', from, to: from + 1 }
  if (!isValue) {
    const [sign] = operator.exec(text.slice(from, from + 2)) ?? []
    if (sign) return { kind: 'operator', text: sign, from, to: from + sign.length }
  }
  const end = isValue ? endOfValue : endOfWord
  let to = from
  while (to < text.length && !end.test(text.charAt(to))) to++
  return { kind: 'word', text: text.slice(from, to), from, to }
}

/** Inside quotes a backslash escapes a quote or a backslash. */
function readQuoted(text: string, from: number): Token | Problem {
  let inside = ''
  for (let at = from + 1; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '"') return { kind: 'text', text: inside, from, to: at + 1 }
    if (character === '\\' && /["\\]/.test(text.charAt(at + 1))) at++
    inside += text.charAt(at)
  }
  return problemAt('the quote is not closed that opens', from, text.length)
}
