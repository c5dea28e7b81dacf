import { formatPurl, normalizePackageName } from '../../domain/names/purl'
import { BadDocument } from './bad-document'
import { addEdge, addPart, lettersPerPart, newDraft, requireFewEntries, splitFew } from './part'
import type { Draft, DraftSteps } from './part'

const toLines = (text: string) => text.split('\n').map((line) => line.replace(/\r$/, ''))

const requirement = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*(.*)$/

/** A requirement without `==` names no version; lines without a package of PyPI are listed as they stand. */
export function* readRequirements(text: string): DraftSteps {
  const draft = newDraft('requirements.txt')
  let joined = ''
  for (const [at, line] of toLines(text).entries()) {
    yield line.length
    if (line.endsWith('\\')) {
      joined += line.slice(0, -1)
      continue
    }
    const entry = (joined + line).replace(/(?:^|\s)#.*$/, '').trim()
    joined = ''
    if (!entry || /^--?(?!e\b|-editable)/.test(entry)) continue
    const place = `line ${at + 1}`
    const [, name, bounds = ''] = requirement.exec(entry) ?? []
    const isAddress = /^(?:-e|--editable|[\w+]+:\/\/|\.|\/)/.test(entry) || bounds.startsWith('@')
    if (isAddress) addPart(draft, { name: entry.slice(0, 200) }, place)
    else if (!name || !/^(?:$|[=<>!~;(-])/.test(bounds)) throw new BadDocument(place, 'Not a requirement of pip')
    else {
      const version = /^\(?\s*={2,3}\s*([^\s;,*)]+)(?:\s|;|\)|$)/.exec(bounds)?.[1]
      addPart(draft, { name, version, purl: formatPurl('pypi', normalizePackageName('pypi', name), version) }, place)
    }
  }
  return draft
}

/** A line with `/go.mod` alone means that only the requirements were read. */
export function* readGoSum(text: string): DraftSteps {
  const draft = newDraft('go.sum')
  for (const [at, line] of toLines(text).entries()) {
    yield line.length
    if (!line.trim()) continue
    const [, name, version] = /^(\S+) (v\S+) h1:\S+$/.exec(line.trim()) ?? []
    if (!name || !version) throw new BadDocument(`line ${at + 1}`, 'Expected a module, a version and a hash')
    if (version.endsWith('/go.mod')) continue
    addPart(draft, { name, version, purl: formatPurl('golang', name, version) }, `line ${at + 1}`)
  }
  return draft
}

/** Advisories name the source package, which `upstream` tells. */
export function* readDebianStatus(text: string): DraftSteps {
  const draft = newDraft('Debian status')
  let line = 1
  for (const stanza of text.split(/\n[ \t\r]*\n/)) {
    yield stanza.length
    const place = `line ${line}`
    line += stanza.split('\n').length + 1
    const fields = readStanza(stanza)
    const [name, version, status = 'installed'] = [fields.get('package'), fields.get('version'), fields.get('status')]
    if (!stanza.trim() || !status.endsWith('installed') || status.includes('not-installed')) continue
    if (!name) throw new BadDocument(place, 'A package needs a name')
    const [, source, sourceVersion] = /^(\S+)(?: \((.+)\))?$/.exec(fields.get('source') ?? '') ?? []
    const arch = fields.get('architecture')
    const qualifiers = new Map([
      ...(arch ? [['arch', arch] as const] : []),
      ...(source ? [['upstream', sourceVersion ? `${source}@${sourceVersion}` : source] as const] : []),
    ])
    const isUbuntu = /ubuntu/i.test(`${version} ${fields.get('maintainer')} ${fields.get('origin')}`)
    const purl = formatPurl('deb', `${isUbuntu ? 'ubuntu' : 'debian'}/${name}`, version, { qualifiers })
    addPart(draft, { ref: name, name, version, purl }, place)
    const needed = splitFew(fields.get('depends') ?? '', /[,|]/, place).map((one) => one.trim().split(/[ :(]/)[0] ?? '')
    for (const one of needed) if (one) addEdge(draft, name, one)
  }
  return draft
}

const readStanza = (stanza: string) =>
  new Map(
    stanza.split('\n').flatMap((line): [string, string][] => {
      const at = line.indexOf(':')
      return at < 1 || /^\s/.test(line) ? [] : [[line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()]]
    }),
  )

/** Installed gems have four spaces before them; their dependencies have six. */
export function* readGemfileLock(text: string): DraftSteps {
  const draft = newDraft('Gemfile.lock')
  let section = ''
  let open = ''
  for (const [at, line] of toLines(text).entries()) {
    yield line.length
    if (/^\S/.test(line)) section = line.trim()
    const [, spaces = '', name, version] = /^( +)([\w.-]+)!?(?: \(([^)]*)\))?$/.exec(line) ?? []
    if (!name) continue
    if (section === 'DEPENDENCIES' && spaces.length === 2) draft.roots.push(name)
    if (!['GEM', 'GIT', 'PATH', 'PLUGIN SOURCE'].includes(section)) continue
    if (spaces.length === 4) {
      if (!version) throw new BadDocument(`line ${at + 1}`, `${name} has no version`)
      open = name
      const plain = version.replace(/-(?:x86|x64|arm|aarch|java|mingw|mswin|universal|ruby).*$/, '')
      const purl = section === 'GEM' ? formatPurl('gem', name, plain) : undefined
      addPart(draft, { ref: name, name, version: plain, purl }, `line ${at + 1}`)
    } else if (spaces.length === 6 && open) addEdge(draft, open, name)
  }
  return draft
}

/** Cargo writes one shape: `[[package]]`, `key = "value"`, one list. A reader of all of TOML would bring nothing more. */
export function* readCargoLock(text: string): DraftSteps {
  const draft = newDraft('Cargo.lock')
  for (const block of splitCargo(text)) {
    yield lettersPerPart
    const { fields, needed, place } = block
    const [name, version] = [fields.get('name'), fields.get('version')]
    if (!name || !version) throw new BadDocument(place, 'A package needs a name and a version')
    // Packages without a source are of the workspace itself.
    const isOwn = !fields.has('source')
    if (isOwn) draft.roots.push(`${name} ${version}`)
    const purl = isOwn ? undefined : formatPurl('cargo', name, version)
    if (!isOwn) addPart(draft, { ref: `${name} ${version}`, name, version, purl }, place)
    for (const one of needed) addEdge(draft, `${name} ${version}`, one)
  }
  return nameOnlyEdges(draft)
}

type CargoBlock = { place: string; fields: Map<string, string>; needed: string[] }

function splitCargo(text: string) {
  const blocks: CargoBlock[] = []
  let isList = false
  let isPackage = false
  for (const [at, line] of toLines(text).entries()) {
    const trimmed = line.trim()
    if (trimmed.startsWith('[') && !isList) {
      isPackage = trimmed === '[[package]]'
      if (isPackage) blocks.push({ place: `line ${at + 1}`, fields: new Map(), needed: [] })
      requireFewEntries(blocks.length, `line ${at + 1}`)
      continue
    }
    const block = blocks.at(-1)
    if (!isPackage || !block || !trimmed || trimmed.startsWith('#')) continue
    const [, key, value] = /^([\w-]+) = "([^"]*)"$/.exec(trimmed) ?? []
    if (isList) {
      const [, needed] = /^"([^" ]+(?: [^" ]+)?)(?: [^"]*)?",?$/.exec(trimmed) ?? []
      if (needed) block.needed.push(needed)
      isList = !trimmed.startsWith(']')
    } else if (key !== undefined && value !== undefined) block.fields.set(key, value)
    else if (/^\w+ = \[$/.test(trimmed)) isList = true
    else if (!/^\w+ = \[.*\]$/.test(trimmed)) throw new BadDocument(`line ${at + 1}`, 'Expected key = "value"')
  }
  return blocks
}

// A dependency is named with its version only where there are several of it.
function nameOnlyEdges(draft: Draft) {
  const byName = new Map(draft.parts.map(({ ref, name }) => [name, ref]))
  const edges = new Map([...draft.edges].map(([from, to]) => [from, to.map((one) => byName.get(one) ?? one)]))
  return { ...draft, edges }
}
