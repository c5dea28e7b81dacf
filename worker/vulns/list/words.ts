import { sql, type SQL } from 'drizzle-orm'
import { kevWord, matchAlternatives, matchPhrase, readAlternatives, type Alternatives, type Phrase } from '../../db/fts'
import { literal, valuesTable } from '../../db/values'
import type { Comparison, Query } from '../../domain/query/ast'
import { idWord } from '../../domain/names/cited-ids'
import { splitWords } from '../../domain/query/words'
import { allHold, columnOfVuln, isText, oneHolds } from './conditions'
import type { Request } from './request'

/** Finds texts with each of the choices, and `cveids`: the CVEs of a famous name, whose texts need not hold it. */
export type Words = { choices: Alternatives[]; cveids: string[] }

const maxWords = 20

/** The last word may be half typed. */
export function wordsOfSearch(search: string, cveids: string[]): Words | undefined {
  const choices = readAlternatives(search)
  return choices.length ? { choices, cveids } : undefined
}

const onePhrase = (phrase: Phrase): Words => ({ choices: [[[phrase]]], cveids: [] })

export const wordsOfText = ({ text }: Query & { kind: 'text' }) =>
  onePhrase({ text: splitWords(text).slice(0, maxWords).join(' '), isBeginning: false })

/** An id as a text writes it, or as one word among the keywords. */
export function wordsOfAdvisory({ value }: Comparison): Words {
  const spellings = [splitWords(String(value)).join(' '), idWord(String(value))]
  return { choices: [spellings.map((text) => [{ text, isBeginning: false }])], cveids: [] }
}

/** Undefined if the text has no word, or is the beginning of a CVE id. */
export function wordsOfComparison(comparison: Comparison): Words | undefined {
  if (findPrefix(comparison)) return undefined
  const { field, op, value } = comparison
  // All CVE ids have the same first word.
  const text = field === 'cveid' ? String(value).replace(/^cve-?/i, '') : String(value)
  const words = splitWords(text).slice(0, maxWords).join(' ')
  const column = field === 'cveid' ? 'cveid' : 'summary'
  return words ? onePhrase({ text: words, isBeginning: op !== 'eq', column }) : undefined
}

/** As a query of the full-text index. */
function matchWords({ choices, cveids }: Words) {
  const all = matchAlternatives(choices)
  return [cveids.length ? `(${all})` : all, ...cveids.map((cveid) => `cveid : "${cveid}"`)].join(' OR ')
}

/**
 * The newest first; where the last word may be a beginning, texts that have it as a whole word come before the others. Whole words
 * come one by one; for a beginning the index is read whole before the first, so the others must not start while the first suffice.
 * Of both, those in KEV may come first.
 */
export function idsWith(words: Words, { isKevFirst = false } = {}): SQL {
  const choices = words.choices.map((choice) =>
    choice.map((all) => all.map((phrase) => ({ ...phrase, isBeginning: false }))),
  )
  const [all, whole] = [matchWords(words), matchWords({ ...words, choices })]
  const matches = all === whole ? [whole] : [whole, `(${all}) NOT (${whole})`]
  const inKev = `keywords : "${kevWord}"`
  const inTurn = isKevFirst
    ? matches.flatMap((match) => [`(${match}) AND ${inKev}`, `(${match}) NOT ${inKev}`])
    : matches
  return sql.join(
    // Without a limit of its own SQLite may drop the order of a part.
    inTurn.map(
      (match) =>
        sql`SELECT id FROM (SELECT rowid AS id FROM vulns_fts WHERE vulns_fts MATCH ${match} ORDER BY rowid DESC LIMIT -1)`,
    ),
    sql` UNION ALL `,
  )
}

/**
 * Tests a shared row itself: a common word would make us read the whole index, and one look into it per row is slow. Private rows
 * have an index of their own.
 */
export function hasWords(words: Words, { org_id, isOfPrivate }: Pick<Request, 'org_id' | 'isOfPrivate'>): SQL {
  const ofOrg = `owner : "org${org_id}" AND {cveid summary keywords} : (${matchWords(words)})`
  const isPrivateHit = sql`vulns.id IN (SELECT rowid AS id FROM own_vulns_fts WHERE own_vulns_fts MATCH ${ofOrg})`
  if (isOfPrivate) return isPrivateHit
  const isFamous = words.cveids.length ? sql`WHEN vulns.cveid IN ${valuesTable(words.cveids)} THEN 1` : sql``
  // Most rows lack one of the words, which shows sooner than that another is a whole word.
  const settled = [
    ...words.choices.map((choice) => allHold(choice.map((all) => oneHolds(all.map(lacks))))),
    ...words.choices.map((choice) => sql`NOT ${hasChoice(choice, hasPhrase)}`),
  ]
  const isNone = sql.join(settled.map((test) => sql` WHEN ${test} THEN 0`))
  return sql`CASE WHEN vulns.org_id IS NOT NULL THEN ${isPrivateHit} ${isFamous} ${isNone} ELSE 1 END`
}

export const hasChoice = (choice: Alternatives, test: (phrase: Phrase) => SQL) =>
  oneHolds(choice.map((all) => allHold(all.map(test))))

// No phrase goes on from one text into the next: the sign between them is none that stands between words.
const allText = sql.raw(`coalesce(vulns.cveid, '') || ' \u0001 ' || vulns.summary || ' \u0001 ' || vulns.keywords`)
/** Letters that the index treats as plain ones. */
const accented = literal('*[\u00c0-\u024f\u0300-\u036f\u1e00-\u1eff\u212a\u212b]*')
/** The signs between words: those of a keyboard and of printed texts. */
const signs = [...`\t\n\r!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~\u00a0\u2018\u2019\u201c\u201d\u2013\u2014\u2026`]
const otherSigns = literal('*[^\t\n\r -~\u00a0\u2018\u2019\u201c\u201d\u2013\u2014\u2026]*')

const writeText = ({ column }: Phrase) => (column ? sql`coalesce(${columnOfVuln(column)}, '')` : allText)

/** The plain text lacks the letters of the longest word. */
function lacks(phrase: Phrase): SQL {
  const [text, words] = [writeText(phrase), phrase.text.toLowerCase().split(' ')]
  const [longest = ''] = words.toSorted((first, second) => second.length - first.length)
  return words.every(isPlain)
    ? sql`instr(lower(${text}), ${literal(longest)}) = 0 AND ${hasNo(text, accented)}`
    : sql`FALSE`
}

/** The plain text settles nearly all rows: it has the words between spaces, or no other signs. The index settles the others. */
function hasPhrase(phrase: Phrase): SQL {
  const [text, lower] = [writeText(phrase), phrase.text.toLowerCase()]
  const isIn = (words: SQL) =>
    sql`instr(' ' || ${words} || ' ', ${literal(phrase.isBeginning ? ` ${lower}` : ` ${lower} `)}) > 0`
  const isSettled = lower.split(' ').every(isPlain) ? sql`WHEN ${hasNo(text, otherSigns)} THEN 0` : sql``
  return sql`CASE WHEN ${isIn(sql`lower(${text})`)} THEN 1 WHEN ${isIn(spaceOut(text))} THEN 1 ${isSettled}
    ELSE EXISTS (SELECT 1 FROM vulns_fts WHERE vulns_fts MATCH ${matchPhrase(phrase)} AND vulns_fts.rowid = vulns.id) END`
}

/** GLOB is slow: a text with as many bytes as letters is ASCII and cannot match. */
const hasNo = (text: SQL, pattern: SQL) =>
  sql`(length(CAST(${text} AS BLOB)) = length(${text}) OR ${text} NOT GLOB ${pattern})`

/** A text with one space wherever there are signs. */
function spaceOut(text: SQL) {
  const replaced = (inner: SQL, sign: string, by: string) => sql`replace(${inner}, ${literal(sign)}, ${literal(by)})`
  const spaced = signs.reduce((inner, sign) => replaced(inner, sign, ' '), sql`lower(${text})`)
  return replaced(replaced(replaced(spaced, ' ', '<>'), '><', ''), '<>', ' ')
}

const isPlain = (word: string) => /^[a-z0-9]+$/.test(word)

export function textSays(comparison: Comparison) {
  const begun = findPrefix(comparison)
  return begun
    ? sql`(vulns.cveid >= ${literal(`CVE-${begun}`)} AND vulns.cveid < ${literal(`CVE-${begun}:`)})`
    : isText(columnOfVuln(comparison.field), comparison)
}

// The index of ids finds the beginning of a CVE id.
function findPrefix({ field, op, value }: Comparison) {
  const text = String(value)
  const begun = field === 'cveid' && op !== 'eq' ? /^(?:CVE-)?(\d{4}-\d+)$/i.exec(text)?.[1] : undefined
  return begun && (op === 'like' || !text.startsWith('cve')) ? begun : undefined
}
