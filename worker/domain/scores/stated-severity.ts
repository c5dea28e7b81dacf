import { severity as bandOf } from './cvss'

const levels = ['critical', 'high', 'medium', 'low'] as const
type StatedSeverity = { severity: (typeof levels)[number]; score: number | null; words: string }

const maxLooked = 6_000
/** The word "score" decides: "CVSS 3.1" is a version. */
const scored =
  /\bCVSS(?:[ -]?v?[234](?:\.[01])?)?(?: base)? (?:score|rating)(?: of| is| was|:)? {0,2}(10(?:\.0)?|\d\.\d)(?!\.?\d)/i
const level = '(critical|high|medium|moderate|low)'
const named = [
  new RegExp(String.raw`\bseverity(?: rating| level)?(?: of| is| was|:)? {0,2}${level}\b`, 'i'),
  new RegExp(String.raw`\b(?<!(?:not|no|non)[ -](?:of )?)${level}[ -]severity\b`, 'i'),
  new RegExp(String.raw`\b(?:rated|classified|declared) as ${level}\b`, 'i'),
]

/**
 * The severity that a description states, where no source gives a CVSS: "Chromium security severity: High", "CVSS score of 8.6". A
 * score, 0.1 to 10, goes before a word; `words` are those of the text. Null where it states none.
 */
export function findStatedSeverity(text: string): StatedSeverity | null {
  const looked = text.slice(0, maxLooked)
  const [words, score] = scored.exec(looked) ?? []
  if (words && Number(score) > 0) {
    const severity = toSeverity(bandOf(3, Number(score)))
    return severity && { severity, score: Number(score), words }
  }
  for (const pattern of named) {
    const [found, word = ''] = pattern.exec(looked) ?? []
    const severity = toSeverity(word)
    if (found && severity) return { severity, score: null, words: found }
  }
  return null
}

function toSeverity(word: string) {
  const stated = word.toLowerCase().replace('moderate', 'medium')
  return levels.find((known) => known === stated) ?? null
}
