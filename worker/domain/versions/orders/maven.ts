import { compareDigits, compareEach, compareText, type Order } from './order'

type Item =
  | { kind: 'number'; digits: string }
  | { kind: 'word'; word: string }
  | { kind: 'numbered'; word: string; digits: string }
  | MavenList
type MavenList = { kind: 'list'; items: Item[] }

const qualifiers = ['alpha', 'beta', 'milestone', 'rc', 'snapshot', '', 'sp']
const sameQualifier = new Map(Object.entries({ cr: 'rc', ga: '', final: '', release: '' }))
const abbreviated = new Map(Object.entries({ a: 'alpha', b: 'beta', m: 'milestone' }))

/** Maven's ComparableVersion: numbers, qualifiers and lists within lists, trailing zeros and `ga` dropped. */
export const maven: Order<MavenList> = {
  parse(text) {
    const plain = text.trim().toLowerCase()
    return /^[\w.+-]*\d[\w.+-]*$/.test(plain) ? read(plain) : null
  },
  compare: compareItems,
}

function read(text: string) {
  const root: MavenList = { kind: 'list', items: [] }
  const lists = [root]
  let list = root
  const nest = () => {
    const inner: MavenList = { kind: 'list', items: [] }
    list.items.push(inner)
    lists.push((list = inner))
  }
  let [start, isDigit, isNumbered] = [0, false, false]

  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    const piece = () => parseItem(text.slice(start, at), isDigit, isNumbered)
    if (character === '.') {
      list.items.push(at === start ? zero : piece())
      isNumbered = false
      start = at + 1
    } else if (character === '-') {
      if (at > start && !isDigit && /\d/.test(text.charAt(at + 1))) {
        // rc-1 is rc1.
        isNumbered = true
        continue
      }
      list.items.push(at === start ? zero : piece())
      start = at + 1
      nest()
      isNumbered = false
    } else if (/\d/.test(character)) {
      if (!isDigit && at > start) {
        isNumbered = true
        if (list.items.length) nest()
      }
      isDigit = true
    } else {
      if (isDigit && at > start) {
        list.items.push(piece())
        start = at
        nest()
        isNumbered = false
      }
      isDigit = false
    }
  }
  if (text.length > start) {
    if (!isDigit && list.items.length) nest()
    list.items.push(parseItem(text.slice(start), isDigit, isNumbered))
  }
  for (const one of lists.toReversed()) normalise(one)
  return root
}

const zero: Item = { kind: 'number', digits: '0' }

function parseItem(text: string, isDigit: boolean, isNumbered: boolean): Item {
  if (isNumbered) {
    const [, word = '', digits = ''] = /^(\D*)(\d*)/.exec(text.replaceAll('-', '')) ?? []
    return { kind: 'numbered', word: qualifier(abbreviated.get(word) ?? word), digits }
  }
  return isDigit ? { kind: 'number', digits: text } : { kind: 'word', word: qualifier(text) }
}

const qualifier = (word: string) => sameQualifier.get(word) ?? word

function normalise({ items }: MavenList) {
  for (let at = items.length - 1; at >= 0; at--) {
    const [item, next] = [items[at], items[at + 1]]
    if (!item || !isNull(item)) continue
    const after = next?.kind === 'list' ? next.items[0]?.kind : next?.kind
    if (!next || after === 'word' || (after === 'numbered' && next.kind === 'list')) items.splice(at, 1)
  }
}

function isNull(item: Item) {
  if (item.kind === 'number') return /^0*$/.test(item.digits)
  return item.kind === 'list' ? !item.items.length : item.kind === 'word' && item.word === ''
}

const rank = { word: 0, numbered: 1, list: 2, number: 3 }

function compareItems(a: Item, b: Item): number {
  if (a.kind === 'number' && b.kind === 'number') return compareDigits(a.digits, b.digits)
  if (a.kind === 'list' && b.kind === 'list') return compareEach(a.items, b.items, compareAt)
  const isWords = 'word' in a && 'word' in b
  if (!isWords) return rank[a.kind] - rank[b.kind]
  const difference = compareWords(a.word, b.word) || rank[a.kind] - rank[b.kind]
  return difference || (a.kind === 'numbered' && b.kind === 'numbered' ? compareDigits(a.digits, b.digits) : 0)
}

function compareAt(one: Item | undefined, other: Item | undefined) {
  if (one && other) return compareItems(one, other)
  return one ? compareToEnd(one) : other ? -compareToEnd(other) : 0
}

function compareToEnd(item: Item): number {
  if (item.kind === 'number') return isNull(item) ? 0 : 1
  if (item.kind !== 'list') return compareWords(item.word, '')
  return compareEach(item.items, [], compareAt)
}

// Unknown qualifiers come after the known ones, by the alphabet.
function compareWords(a: string, b: string) {
  const [left, right] = [qualifiers.indexOf(a), qualifiers.indexOf(b)]
  if (left === -1 && right === -1) return compareText(a, b)
  return (left === -1 ? qualifiers.length : left) - (right === -1 ? qualifiers.length : right)
}
