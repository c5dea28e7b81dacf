import { readSpoken } from '../domain/query/spoken'

/** Words that stand side by side, in one column or in any; the last may be only a beginning. */
export type Phrase = { text: string; isBeginning: boolean; column?: 'cveid' | 'summary' }
/** A text has all phrases of one of the sets. */
export type Alternatives = Phrase[][]

/** The words of a search, each with what is called so as well; the last may be half typed. */
export function readAlternatives(text: string): Alternatives[] {
  const choices = readSpoken(text).map(({ words, others }) =>
    [words, ...others].map((all) => all.map((word): Phrase => ({ text: word, isBeginning: false }))),
  )
  const last = choices.at(-1)?.[0]?.at(-1)
  if (last && last.text.length > 2) last.isBeginning = true
  return choices
}

/** A query of a full-text index. Each text is quoted, so that no word is an operator. */
export const matchAlternatives = (choices: Alternatives[]) => choices.map(matchOne).join(' AND ')

function matchOne(choice: Alternatives) {
  const sets = choice.map((all) => all.map(matchPhrase).join(' AND '))
  return sets.length > 1 ? `(${sets.join(' OR ')})` : sets.join('')
}

export const matchPhrase = ({ text, isBeginning, column }: Phrase) =>
  `${column ? `${column} : ` : ''}"${text}"${isBeginning ? '*' : ''}`

/** Null when there is no word. */
export const ftsWords = (text: string): string | null => matchAlternatives(readAlternatives(text)) || null

export function ftsParts(text: string): string | null {
  const parts = text
    .replaceAll('\u0000', '')
    .split(/\s+/)
    .filter((part) => [...part].length >= 3)
    .slice(0, maxParts)
  return parts.length ? parts.map((part) => `"${part.replaceAll('"', '""')}"`).join(' ') : null
}

const maxParts = 20

/** Stands among the keywords of what is in KEV, so that these are found among the hits of a common word. */
export const kevWord = 'cisakev'
