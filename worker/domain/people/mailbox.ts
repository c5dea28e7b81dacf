const domainAt = (email: string) => email.lastIndexOf('@') + 1
const sameGmail = new Set(['gmail.com', 'googlemail.com'])

/** Its name in ASCII, by which mail servers know it (RFC 5891); null where it is none. */
function hostName(domain: string) {
  if (/[/?#%]/.test(domain) || !URL.canParse(`http://${domain}`)) return null
  return new URL(`http://${domain}`).hostname
}

export const hasMailHost = (email: string) => hostName(email.slice(domainAt(email))) !== null

/** As mail servers take it. */
export function withAsciiDomain(email: string) {
  const [at, domain] = [domainAt(email), email.slice(domainAt(email))]
  return /^[\0-\x7f]*$/.test(domain) ? email : `${email.slice(0, at)}${hostName(domain) ?? domain}`
}

/** One that spells a domain in wider letters or with hidden signs is written as others write it. */
export function withPlainDomain(email: string) {
  const plain = withAsciiDomain(email)
  return /[@.]xn--/.test(plain) ? email : plain
}

/** The same for all addresses of a mailbox: its owner may add a tag behind a plus and, at Gmail, dots. */
export function mailboxName(email: string) {
  const plain = withAsciiDomain(email).toLowerCase()
  const [local, domain] = [plain.slice(0, domainAt(plain) - 1), plain.slice(domainAt(plain))]
  const name = local.replace(/(?<=.)\+.*$/, '')
  return sameGmail.has(domain) ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${domain}`
}
