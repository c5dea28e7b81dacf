import { parseName, resolveAlias, toCpeWord } from '../../domain/names/product-names'
import type { ProductName } from '../../domain/words/record'
import facts from './guess-facts.json' with { type: 'json' }
import type { Cve5Container } from './schema'

/** Vendors that are CNAs of their own products, by their short names. */
const vendorCnas = new Map(Object.entries(facts.vendors))
/** An address there does not tell whose product it is. */
const sharedHosts = new Set(facts.hosts)

const maxGuesses = 40
const maxWords = 4

type NamelessRecord = { title?: string; assigner: string; cna: Cve5Container }

/** For a record whose CNA says "n/a": guesses from title, references and assigner. Only known products count (merge/settle-guesses). */
export function guessProducts(record: NamelessRecord): ProductName[] {
  const names = new Map(tellGuesses(record).map(({ name }) => [`${name.vendor}:${name.product}`, name]))
  return [...names.values()].slice(0, maxGuesses)
}

/** Each guess with the rule that made it: `npm run bench -- --only guesses` tells what each is worth. */
export function tellGuesses({ title = '', assigner, cna }: NamelessRecord) {
  const places = (cna.references ?? []).flatMap(({ url }) => readPlace(url) ?? [])
  const owner = vendorCnas.get(assigner.toLowerCase())
  const texts = [...(cna.affected ?? []).flatMap(({ product = '' }) => product), ...firstWords(title)]

  const guesses: { rule: string; name: ProductName }[] = []
  const add = (rule: string, name: ProductName | null) => name && guesses.push({ rule, name: resolveAlias(name) })
  for (const { repository } of places) {
    if (!repository) continue
    const { product } = repository
    add('owner and name of a repository', repository)
    add('name of a repository, as of a project', { vendor: `${product}_project`, product })
    add('name of a repository, twice', { vendor: product, product })
  }
  for (const text of texts) {
    if (owner) add('vendor that is the CNA', parseName(owner, text))
    for (const { vendor } of places) if (vendor) add('vendor whose host a reference names', parseName(vendor, text))
    const word = toCpeWord(text)
    if (!isOfMany.test(word)) {
      add('words, twice', parseName(word, word))
      add('words, as of a project', parseName(`${word}_project`, word))
    }
    const [first = '', ...others] = text.split(/\s+/)
    if (others.length) add('first word as vendor of the others', parseName(first, others.join(' ')))
  }
  return guesses
}

/** Many write a "Hospital Management System": its name tells no maker. */
const isOfMany = /_system$/

/**
 * "Acme Widget Pro path traversal" may name Acme, Acme Widget or Acme Widget Pro. Before a bound ("WooCommerce Customers
 * Manager < 29.8") all words are the name: an extension of a product is not that product.
 */
function firstWords(title: string) {
  const words = title.trim().slice(0, 200).split(/\s+/)
  const end = words.findIndex((word) => !/^[A-Za-z][\w.+-]*$/.test(word))
  const plain = end === -1 ? words : words.slice(0, end)
  const isWhole = /^[<>=]/.test(words[end] ?? '')
  const shortest = isWhole
    ? plain.length
    : Math.max(
        1,
        plain.findIndex((word) => extension.test(word)),
      )
  return plain
    .slice(0, maxWords)
    .map((_, at) => plain.slice(0, at + 1).join(' '))
    .slice(shortest - 1)
    .toReversed()
}
const extension = /^(?:add-?on|extension|module|plug-?in|theme)s?$/i

function readPlace(address: string): { vendor?: string; repository?: ProductName } | null {
  const url = URL.parse(address)
  if (!url) return null
  const host = url.hostname.toLowerCase().replace(/^www\./, '')
  const [, owner = '', name = ''] = url.pathname.toLowerCase().split('/')
  // People publish findings about others in their own repositories; fixes and advisories are in the product's.
  const isHome = /\/(?:commit|commits|pull|releases|security|compare)(?:\/|$)/.test(url.pathname)
  const isProduct = name !== '' && !name.includes('advisor')
  if (host === 'github.com') return isHome && isProduct ? { repository: { vendor: owner, product: name } } : null
  const vendor = host.split('.').at(-2) ?? ''
  return vendor.length < 3 || sharedHosts.has(vendor) ? null : { vendor }
}
