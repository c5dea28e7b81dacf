import { parseName, toCpeWord } from '../../domain/product-names'
import type { ProductName } from '../../domain/record'
import type { Cve5Container } from './schema'

/** Vendors that are CNAs of their own products, by their short names. */
const vendorCnas = new Map([
  ['apache', 'apache'],
  ['canonical', 'canonical'],
  ['dahua', 'dahuasecurity'],
  ['dell', 'dell'],
  ['fedora', 'fedoraproject'],
  ['fortinet', 'fortinet'],
  ['hp', 'hp'],
  ['ibm', 'ibm'],
  ['intel', 'intel'],
  ['juniper', 'juniper'],
  ['microsoft', 'microsoft'],
  ['netgear', 'netgear'],
  ['oracle', 'oracle'],
  ['redhat', 'redhat'],
  ['sap', 'sap'],
  ['vmware', 'vmware'],
  ['xen', 'xen'],
])

/** Hosts of others than vendors: who writes there says nothing of whose product it is. */
const sharedHosts = new Set([
  'blogspot',
  'exploit-db',
  'github',
  'gitlab',
  'google',
  'huntr',
  'medium',
  'mitre',
  'notion',
  'packetstormsecurity',
  'seclists',
  'vuldb',
  'wordpress',
  'wpscan',
  'youtube',
])

const maxGuesses = 40
const maxWords = 4

type Said = { title?: string; assigner: string; cna: Cve5Container }

/**
 * The products that a record may mean whose CNA names none ("n/a"): by what it does name, the first words of its title,
 * the homes on GitHub and the hosts of its references, and the assigner. They are guesses: only one that names a
 * product that is known counts (merge/settle-guesses).
 */
export function guessProducts({ title = '', assigner, cna }: Said): ProductName[] {
  const entries = cna.affected ?? []
  const places = (cna.references ?? []).flatMap(({ url }) => readPlace(url) ?? [])
  const owner = vendorCnas.get(assigner.toLowerCase())
  const vendors = [...(owner ? [owner] : []), ...places.flatMap(({ vendor }) => vendor ?? [])]
  const texts = [...entries.flatMap(({ product = '' }) => product), ...firstWords(title)]

  const names = new Map<string, ProductName>()
  const add = (name: ProductName | null) => name && names.set(`${name.vendor}:${name.product}`, name)
  for (const { repository } of places) {
    if (!repository) continue
    add(repository)
    add({ vendor: `${repository.product}_project`, product: repository.product })
    add({ vendor: repository.product, product: repository.product })
  }
  for (const text of texts) {
    for (const vendor of vendors) add(parseName(vendor, text))
    const word = toCpeWord(text)
    add(parseName(word, word))
    add(parseName(`${word}_project`, word))
    const [first = '', ...others] = text.split(/\s+/)
    if (others.length) add(parseName(first, others.join(' ')))
  }
  return [...names.values()].slice(0, maxGuesses)
}

/** "Acme Widget Pro before 2" begins with Acme, Acme Widget, Acme Widget Pro. */
function firstWords(title: string) {
  const words = title.trim().slice(0, 200).split(/\s+/).slice(0, maxWords)
  const end = words.findIndex((word) => !/^[A-Za-z][\w.+-]*$/.test(word))
  const plain = end === -1 ? words : words.slice(0, end)
  return plain.map((_, at) => plain.slice(0, at + 1).join(' ')).toReversed()
}

function readPlace(address: string): { vendor?: string; repository?: ProductName } | null {
  const url = URL.parse(address)
  if (!url) return null
  const host = url.hostname.toLowerCase().replace(/^www\./, '')
  const [, owner = '', name = ''] = url.pathname.toLowerCase().split('/')
  // What people publish of others stands in their own repositories; a fix or an advisory stands in the product's.
  const isHome = /\/(?:commit|commits|pull|releases|security|compare)(?:\/|$)/.test(url.pathname)
  if (host === 'github.com') return isHome && name ? { repository: { vendor: owner, product: name } } : null
  const vendor = host.split('.').at(-2) ?? ''
  return vendor.length < 3 || sharedHosts.has(vendor) ? null : { vendor }
}
