export const tellsOfSecurity = /secur|advis|bulletin|vuln|cve-/i
/** Hosts on which everybody publishes: they prove no authorship. */
export const sharedHosts = /(?:^|\.)(?:github|gitlab)\.com$/

export const hostname = (url: string) => (URL.canParse(url) ? new URL(url).hostname : '')
/** The site of a link, as people name it. */
export const siteName = (url: string) => hostname(url).replace(/^www\./, '')

/** Whether a page is of who makes one of these vendors or products, by its host, and tells of security. */
export function isMakersAdvisory(url: string, makers: string[]) {
  const host = URL.canParse(url) ? hostname(url) : ''
  const labels = new Set(host.split('.'))
  const isOwn = makers.some((name) => name.length > 2 && labels.has(name.toLowerCase().replaceAll(/[^a-z0-9-]/g, '')))
  return isOwn && !sharedHosts.test(host) && (tellsOfSecurity.test(url) || releaseNotes.test(url))
}
const releaseNotes = /\/(?:release|changelog|changes)[\w./-]*$/i
