import { BadDocument } from './bad-document'
import { readCyclonedxJson } from './cyclonedx'
import { readCyclonedxXml } from './cyclonedx-xml'
import { gradleLockSign, readGradleLock, readNugetLock, readPipfileLock, readSwiftPins } from './further-locks'
import { findMembers } from './json-text'
import { readCargoLock, readDebianStatus, readGemfileLock, readGoSum, readRequirements } from './line-locks'
import { readComposerLock, readNpmLock } from './npm-lock'
import type { DraftSteps } from './part'
import { readPnpmLock } from './pnpm-lock'
import { readPom } from './pom'
import { pythonLockSign, readPythonLock } from './python-lock'
import { readSpdxJson } from './spdx'
import { readSpdxTagValue } from './spdx-tag-value'
import { readSpdx3 } from './spdx3'
import { tidy, type ReadInventory } from './tidy'
import { readYarnLock, yarnLockSign } from './yarn-lock'

type Reader = (text: string) => DraftSteps

export function* readInventory(text: string): Generator<number, ReadInventory> {
  if (!text.trim()) throw new BadDocument('', 'The document is empty')
  return yield* tidy(yield* findReader(text)(text))
}

const jsonReaders: [member: string, reader: Reader][] = [
  ['bomFormat', readCyclonedxJson],
  ['spdxVersion', readSpdxJson],
  ['@graph', readSpdx3],
  ['lockfileVersion', readNpmLock],
  ['packages-dev', readComposerLock],
  ['content-hash', readComposerLock],
  ['_meta', readPipfileLock],
  ['pins', readSwiftPins],
  ['object', readSwiftPins],
  ['dependencies', readNugetLock],
]

/** By the first lines that mean something. */
const textReaders: [sign: RegExp, reader: Reader][] = [
  [/^SPDXVersion:/m, readSpdxTagValue],
  [/^lockfileVersion:/m, readPnpmLock],
  [yarnLockSign, readYarnLock],
  [pythonLockSign, readPythonLock],
  [/^\[\[package\]\]/m, readCargoLock],
  [/^(?:GEM|GIT|PATH)\r?\n {2}\w+:/m, readGemfileLock],
  [/^Package: \S/m, readDebianStatus],
  [/^\S+ v\S+ h1:\S+\r?$/m, readGoSum],
  [gradleLockSign, readGradleLock],
  [/^(?:-e |--|[A-Za-z0-9][\w.-]*(?:\[[^\]\n]*\])?[ \t]*(?:[=<>!~]=?|@|;|\r?$))/m, readRequirements],
]

const known =
  'CycloneDX 1.2 to 1.7 (JSON, XML), SPDX 2.2 and 2.3 (JSON, tag-value), SPDX 3.0 (JSON-LD), package-lock.json, pnpm-lock.yaml, yarn.lock, requirements.txt, Pipfile.lock, poetry.lock, uv.lock, pdm.lock, pylock.toml, go.sum, Cargo.lock, composer.lock, Gemfile.lock, pom.xml, gradle.lockfile, packages.lock.json, Package.resolved, Debian status'
const signLength = 20_000
/** They are listed before they are read, and a line that means something is held as 100 bytes and more. */
const maxLines = 500_000

function findReader(text: string): Reader {
  const start = text.trimStart()
  if (start.startsWith('{')) {
    const members = findMembers(text)
    const found = jsonReaders.find(([member]) => members.has(member))
    if (found) return found[1]
  } else if (start.startsWith('<'))
    return /<(?:\w+:)?bom[\s>]/.test(start.slice(0, signLength)) ? readCyclonedxXml : readPom
  else {
    requireFewLines(text)
    const beginning = start.slice(0, signLength)
    const found = textReaders.find(([sign]) => sign.test(beginning))
    if (found) return (whole) => found[1](withPlainLines(whole))
  }
  throw new BadDocument('line 1, column 1', `The format is not known. These are: ${known}`)
}

/** A dot of a pattern passes over no other end of a line: a pattern that meets one tries its parts in all their lengths, for minutes. */
const withPlainLines = (text: string) => text.replaceAll('\r\n', '\n').replace(/[\r\u2028\u2029]/g, ' ')

function requireFewLines(text: string) {
  let lines = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1))
    if (++lines > maxLines) throw new BadDocument('', `There are more than ${maxLines.toLocaleString('en')} lines`)
}
