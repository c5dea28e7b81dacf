/** Blocks that nobody has on the internet, or that lead back into a private network (IANA special-purpose registries). */
const privateV4 = (
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 ' +
  '192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3'
)
  .split(' ')
  .flatMap((block) => readBlock(block) ?? [])

/** `10.0.0.0/8`, or one address. */
function readBlock(text: string) {
  const [address = '', bits = '32', ...more] = text.split('/')
  const start = readV4(address)
  const isBlock = start !== null && !more.length && /^\d{1,2}$/.test(bits) && Number(bits) <= 32
  const size = 2 ** (32 - Number(bits))
  return isBlock ? { start: start - (start % size), size } : null
}

const isWithin = (address: number, { start, size }: { start: number; size: number }) =>
  address >= start && address < start + size

/** Whether an IPv4 address belongs to a network in the form 10.0.0.0/8; false where either is none. */
export function isInNetwork(text: string, network: string) {
  const [address, block] = [readV4(text), readBlock(network)]
  return address !== null && block !== null && isWithin(address, block)
}

/** Whether an IP address, as DNS or a URL spells it, can be reached over the internet; false for what is none. */
export function isPublicAddress(text: string) {
  const v4 = readV4(text)
  if (v4 !== null) return isPublicV4(v4)
  const groups = readV6(text)
  if (!groups) return false
  const [first = 0, second = 0, , , , fifth = 0, high = 0, low = 0] = groups
  const embedded = high * 65_536 + low
  const leads = groups.slice(0, 5).every((group) => group === 0)
  // ::ffff:a.b.c.d is the address itself, 64:ff9b:: its translation; 64:ff9b:1:: translates within a network.
  if (leads && fifth === 0xffff) return isPublicV4(embedded)
  if (first === 0x64 && second === 0xff9b)
    return groups.slice(2, 6).every((group) => group === 0) && isPublicV4(embedded)
  if (first === 0x2002) return isPublicV4(second * 65_536 + (groups[2] ?? 0))
  // Global unicast is 2000::/3, without Teredo and other special blocks (2001::/23) and documentation.
  if (first < 0x2000 || first > 0x3fff) return false
  if (first === 0x2001 && (second < 0x200 || second === 0xdb8)) return false
  return first !== 0x3fff || second >= 0x1000
}

const isPublicV4 = (address: number) => !privateV4.some((block) => isWithin(address, block))

function readV4(text: string) {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return null
  const parts = text.split('.').map(Number)
  if (parts.some((part) => part > 255)) return null
  return parts.reduce((sum, part) => sum * 256 + part, 0)
}

function readV6(text: string) {
  const bare = text.replace(/^\[|\]$/g, '').toLowerCase()
  if (!/^[0-9a-f:.]{2,45}$/.test(bare) || !bare.includes(':')) return null
  const tail = bare.slice(bare.lastIndexOf(':') + 1)
  const v4 = readV4(tail)
  const plain =
    v4 === null ? bare : bare.slice(0, -tail.length) + `${(v4 >>> 16).toString(16)}:${(v4 % 65_536).toString(16)}`
  const [head = '', behind, ...more] = plain.split('::')
  if (more.length) return null
  const read = (part: string) => (part ? part.split(':').map((group) => parseInt(group, 16)) : [])
  const [left, right] = [read(head), read(behind ?? '')]
  const gap = 8 - left.length - right.length
  if (behind === undefined ? gap !== 0 : gap < 1) return null
  const groups = [...left, ...Array<number>(behind === undefined ? 0 : gap).fill(0), ...right]
  return groups.every((group) => group >= 0 && group <= 0xffff) ? groups : null
}
