import { judgeStatements, findFixes, findKnownVersions } from '../../worker/domain/versions/affected'
import {
  newPlacing,
  isDisputed,
  orderAffected,
  splitTarget,
  uniteRanges,
} from '../../worker/domain/versions/affected-items'
import type { AffectedTarget } from '../../worker/domain/versions/affected-items'
import { listProductAliases, listVendorAliases } from '../../worker/domain/names/aliases'
import { findBranch } from '../../worker/domain/versions/branch'
import { cpeFromTail, parseCpe, parseTail, unescapeVersion } from '../../worker/domain/names/cpe'
import { compareAttributes, findOtherKind } from '../../worker/domain/versions/cpe-match'
import {
  advisoryIds,
  hasFormOfId,
  isCveId,
  parsePrivateName,
  parsePhId,
  readCveId,
} from '../../worker/domain/names/cve'
import { parseCve5PackageRanges, parseCve5Ranges } from '../../worker/domain/versions/cve5-status'
import {
  baseLetters,
  explainVector,
  parseAccess,
  parseImpact,
  parseVector,
  vectorProblem,
} from '../../worker/domain/scores/cvss'
import { computeAdjustedCvss2, computeCvssScore } from '../../worker/domain/scores/cvss-score'
import { decide } from '../../worker/domain/decisions/decision'
import { formatExploitKey } from '../../worker/domain/names/exploit-key'
import { classifyRepository } from '../../worker/domain/words/exploit-purpose'
import { isAdvisoryId } from '../../worker/domain/names/cve'
import { findNearestWord } from '../../worker/domain/query/nearest'
import { findSpokenFilters, readSpokenFilters } from '../../worker/domain/query/spoken-filters'
import { readSpoken } from '../../worker/domain/query/spoken'
import { famousNames, findFamous } from '../../worker/domain/names/famous'
import { idLinks } from '../../worker/domain/names/id-links'
import { PlainName, OrgName } from '../../worker/domain/people/name'
import { parseOsvRanges } from '../../worker/domain/versions/osv-events'
import { Email, NewPassword, NewUsername } from '../../worker/domain/people/password'
import { readableName } from '../../worker/domain/names/product'
import { isNoName, parseName, toCpeWord } from '../../worker/domain/names/product-names'
import { isPublicAddress } from '../../worker/domain/people/public-address'
import {
  normalizePackageName,
  packageType,
  parseOsvPackage,
  parsePurl,
  formatPurl,
} from '../../worker/domain/names/purl'
import { findRelease } from '../../worker/domain/names/purl-release'
import { parseAskedVersion } from '../../worker/domain/query/asked-version'
import { completeQuery } from '../../worker/domain/query/complete'
import { compareDaysAhead, isAge, isDate, parseAge, parseDateSpan } from '../../worker/domain/query/dates'
import { parseQuery } from '../../worker/domain/query/parse'
import { tokenize } from '../../worker/domain/query/tokens'
import { completeCpe, parseValue } from '../../worker/domain/query/values'
import { ftsPhrase, splitWords } from '../../worker/domain/query/words'
import { splitTitle } from '../../worker/domain/words/plain-text'
import { describeRange, speakRange } from '../../worker/domain/versions/range'
import { matchRange } from '../../worker/domain/versions/range-match'
import { computeRating, strongerMetrics } from '../../worker/domain/scores/rating'
import { findStatedSeverity } from '../../worker/domain/scores/stated-severity'
import { parseRatingVector } from '../../worker/domain/scores/rating-vector'
import { parseSource, versionOrders, type AffectedRange } from '../../worker/domain/words/record'
import { leaveLateFixesOpen } from '../../worker/domain/versions/later-fixes'
import { leaveSpokenBranchesOpen, leaveSpokenOpen } from '../../worker/domain/versions/spoken-ends'
import { findContradicted } from '../../worker/domain/words/summary-words'
import { hasTwoEnds, parseVersionWords } from '../../worker/domain/versions/version-words'
import { compareVersions, isVersion, packageOrder, sortVersions } from '../../worker/domain/versions/versions'
import { upstreamVersion } from '../../worker/domain/versions/orders/upstream'
import { GroupLabel, parseWanted, RunVersions, splitList, watchedKinds } from '../../worker/domain/names/watch-item'
import { readAppleEnds } from '../../worker/feeds/cve5/apple'
import { guessProducts } from '../../worker/feeds/cve5/guesses'
import { parseBuild, parseComponent } from '../../worker/feeds/redhat/record'
import { readKevNames } from '../../worker/feeds/signals/kev-names'
import { readAtOnce } from './read-inventory'
import { readVex } from '../../worker/inventories/vex/read-vex'

/** Functions that read strangers' text, by name; the text stands for every field that a stranger may choose. */
export const readers: Record<string, (text: string) => unknown> = {
  ...Object.fromEntries(
    versionOrders.map((order) => [order, (text: string) => compareVersions(order, text, `${text}1`)]),
  ),
  parseCpe,
  readableName,
  'parseCpe of a name': (text) => parseCpe(`cpe:2.3:a:${text}:*`),
  unescapeVersion,
  'compareAttributes as a source': (text) => compareAttributes(text, 'a'.repeat(9_000)),
  'compareAttributes as a target': (text) => compareAttributes('??1*', text),
  'compareAttributes of itself': (text) => compareAttributes(text, `${text}a`),
  matchRange: (text) => ranges(text).map((range) => matchRange(range, '1.0')),
  'matchRange with a version': (text) => ranges('1.0').map((range) => matchRange(range, text)),
  judgeStatements: (text) => judgeStatements(text, [{ source: 'nvd', ranges: ranges(text) }]),
  findKnownVersions: (text) => [findKnownVersions(ranges(text)), findFixes(ranges(text))],
  describeRange: (text) => ranges(text).map(describeRange).map(speakRange),
  speakRange: (text) => [speakRange(text), speakRange(`>= ${text}`), speakRange(`< ${text}`)],
  findStatedSeverity: (text) => [findStatedSeverity(text), findStatedSeverity(`CVSS ${text}`)],
  splitTitle: (text) => splitTitle({ title: text, summary: text }),
  parseVersionWords: (text) => parseVersionWords(text, text),
  parseCve5Ranges: (text) =>
    parseCve5Ranges({
      product: text,
      versions: [{ version: text }, { version: text, lessThan: text }, { version: '1', lessThanOrEqual: text }],
    }),
  'parseCve5Ranges with changes': (text) =>
    parseCve5Ranges({ versions: [{ version: '1', lessThan: '*', changes: [{ at: text, status: 'unaffected' }] }] }),
  parseOsvRanges: (text) =>
    parseOsvRanges({ ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: text }] }] }, 'maven'),
  parsePurl,
  'parsePurl of a package': (text) => parsePurl(`pkg:maven/${text}`),
  parseOsvPackage: (text) => parseOsvPackage(text, text),
  normalizePackageName: (text) => ['pypi', 'maven', 'swift', 'npm'].map((type) => normalizePackageName(type, text)),
  formatPurl: (text) => formatPurl('maven', text, text),
  parseVector,
  vectorProblem,
  baseLetters,
  computeCvssScore: computeCvssScore,
  computeAdjustedCvss2: (text) =>
    computeAdjustedCvss2(text, { is_exploitable: true, is_confirmed: true, rating_vector: text }),
  parseRatingVector,
  computeRating: computeRating,
  formatExploitKey: formatExploitKey,
  'formatExploitKey of a repository': (text) =>
    formatExploitKey(`https://github.com/rapid7/metasploit-framework/${text}`),
  idLinks,
  ids: (text) => [isCveId(text), parsePhId(text), parsePrivateName(text)],
  parseAskedVersion,
  parseQuery,
  tokenize,
  completeQuery: (text) => completeQuery(text, text.length),
  parseValue: (text) => [
    parseValue('cpe', 'eq', text),
    parseValue('published', 'gt', text),
    parseValue('score', 'eq', text),
  ],
  'dates of queries': (text) => [
    isDate(text),
    isAge(text),
    parseAge(text, now),
    parseDateSpan(text, now),
    compareDaysAhead('lt', text, now),
  ],
  completeCpe,
  ftsPhrase,
  splitWords,
  parseTail: (text) => [parseTail(text), parseTail(`a:${text}`), cpeFromTail('a', 'b', text)],
  findOtherKind: (text) => {
    const own = parseCpe(`cpe:2.3:a:b:c:1:${text}`)
    return own && findOtherKind(`a:1:*:${text}`, own)
  },
  'findOtherKind of editions': (text) =>
    [`${text}:${text}:x`, `*:*:${text}:*`].map((tail) =>
      findOtherKind(`a:1:*:${tail}`, { ...anyKind, sw_edition: text }),
    ),
  parseCve5PackageRanges: (text) => parseCve5PackageRanges({ versions: [{ version: text, lessThan: text }] }, 'maven'),
  'isVersion, sortVersions': (text) =>
    versionOrders.map((order) => [isVersion(order, text), sortVersions(order, [text, `${text}1`])]),
  packageOrder: (text) => [packageOrder(text), packageType(text)],
  upstreamVersion,
  hasTwoEnds,
  findBranch,
  findRelease: (text) => {
    const purl = parsePurl('pkg:deb/debian/a@1')
    return (
      purl && findRelease({ ...purl, version: text, qualifiers: new Map([['distro', text]]) }, [text, `Debian:${text}`])
    )
  },
  newPlacing: (text) => [
    newPlacing(text)(aTarget('a')),
    newPlacing('a b c')(aTarget(text)),
    splitTarget(aTarget(text)),
  ],
  uniteRanges: (text) => uniteRanges(aTarget(text).statements),
  isDisputed: (text) => isDisputed(aTarget(text).statements),
  orderAffected: (text) =>
    orderAffected([
      { place: 'named', weight: 1, fix: text },
      { place: 'named', weight: 2, fix: null },
    ]),
  findContradicted: (text) =>
    findContradicted(text, [{ ...aTarget('a 1'), readStatements: () => aTarget('1').statements }]),
  leaveLateFixesOpen: (text) => [
    leaveLateFixesOpen(`2.1 ${text} 1.3`, [{ vendor: 'a', product: 'a', ranges: [{ order: 'loose', lt: '1.2' }] }]),
    leaveLateFixesOpen('1.3', [{ vendor: 'a', product: 'a', ranges: [{ order: 'loose', lt: text }] }]),
  ],
  readAppleEnds: (text) => {
    const read = (lessThan: string, summary: string) =>
      readAppleEnds([{ product: 'macOS', versions: [{ version: '0', status: 'affected', lessThan }] }], summary)
    return [
      read(text, 'fixed in macOS 13.6.1'),
      read('13.6', `fixed in ${text}`),
      read('13.6', `fixed in macOS A 13.6${text}`),
    ]
  },
  leaveSpokenBranchesOpen: (text) =>
    [text, '1.1, '.repeat(text.length / 5)].map((summary) =>
      leaveSpokenBranchesOpen(summary, [{ vendor: 'a', product: 'a', ranges: [{ order: 'loose', le: '1.1' }] }]),
    ),
  leaveSpokenOpen: (text) => [
    leaveSpokenOpen(text, [{ vendor: 'a', product: 'a', ranges: ['a:1'] }]),
    leaveSpokenOpen('a 1.1 before 1.2', [{ vendor: 'a', product: text, ranges: [`a:${text}`] }]),
    leaveSpokenOpen(`${text} before 1.2 ${text}`, [{ vendor: 'a', product: 'a', ranges: ['a:1.2'] }]),
  ],
  'findContradicted of a name': (text) =>
    findContradicted(`a through 1.2 ${text} through 1.3`, [
      { ...aTarget(text), readStatements: () => aTarget('1').statements },
    ]),
  parseName: (text) => [parseName(text, text), parseName('a', text), isNoName(text), toCpeWord(text)],
  aliases: (text) => [listVendorAliases(text), listProductAliases(text, text)],
  guessProducts: (text) =>
    guessProducts({
      title: text,
      assigner: text,
      cna: { affected: [{ vendor: text, product: text }], references: [{ url: `https://${text}` }, { url: text }] },
    }),
  readKevNames: (text) => readKevNames(text, text),
  'builds of Red Hat': (text) => [parseBuild(text), parseComponent(text)],
  readVex: (text) =>
    unlessRefused(() => readVex(`{"@context":"https://openvex.dev/ns/v0.2.0","statements":"${text}"}`)),
  readInventory: (text) => [
    unlessRefused(() => readAtOnce(text)),
    unlessRefused(() => readAtOnce(`<?xml version="1.0"?><bom xmlns="http://cyclonedx.org/schema/bom/1.6">${text}`)),
    unlessRefused(() => readAtOnce(`SPDXVersion: SPDX-2.3\nPackageName: ${text}`)),
    unlessRefused(() => readAtOnce(`{"bomFormat":"CycloneDX","components":[{"purl":"${text}`)),
  ],
  classifyRepository: (text) => [classifyRepository(text, ''), classifyRepository('a/b', text)],
  spoken: (text) => [
    readSpoken(text),
    readSpokenFilters(text),
    readCveId(text),
    findSpokenFilters(text),
    findNearestWord(text, ['fortinet', 'a'.repeat(24)], 2),
    isAdvisoryId(text),
  ],
  famous: (text) => [findFamous(text), famousNames(text)],
  parseWanted: (text) => watchedKinds.map((kind) => parseWanted(kind, text)),
  splitList: (text) => [splitList(text), GroupLabel.safeParse(text), RunVersions.safeParse([text])],
  'names of people': (text) =>
    [PlainName, OrgName, NewUsername, NewPassword, Email].map((schema) => schema.safeParse(text)),
  isPublicAddress,
  'vectors in words': (text) => [
    explainVector(text),
    parseAccess(text),
    parseImpact(text),
    strongerMetrics(text, text),
  ],
  advisoryIds: (text) => [advisoryIds(text), hasFormOfId(text), parseSource(text)],
  decide: (text) =>
    decide({
      id: 1,
      cveid: null,
      aliases: [],
      title: text,
      summary: text,
      cwe_name: '',
      kev: null,
      is_in_the_wild: false,
      is_exploitable: false,
      exploit_count: 0,
      references: [{ url: text, tags: [text] }],
      affected: [{ vendor: text, product: text, fixed: [text], first_unlisted: [] }],
      affected_packages: [{ type: 'maven', name: text, fixed: [], first_unlisted: [text] }],
      safe_upgrades: [],
    }),
}

function unlessRefused(read: () => unknown) {
  try {
    return read()
  } catch {
    return null
  }
}

const now = new Date('2026-11-20T10:00:00Z')
const anyKind = { edition: '*', language: '*', sw_edition: '*', target_sw: '*', target_hw: '*', other: '*' }
const aTarget = (text: string): AffectedTarget => ({
  via: 'package',
  group: text,
  name: `${text}:${text}`,
  monitored: false,
  statements: [
    { source: 'nvd', ranges: ranges(text) },
    { source: 'ghsa', ranges: ranges('1.0') },
  ],
})

const ranges = (text: string): AffectedRange[] => [
  `a:${text}`,
  { cpe: 'a', ge: text, lt: text },
  { order: 'loose', is: text },
  { order: 'maven', gt: text, le: text },
]
