/** They serve the files of many: the first part of a path there is whose they are. */
const fileHosts = ['raw.githubusercontent.com']
/** Owners there that are named after a site: `cisagov` after cisa.gov. */
const siteEnds = ['', 'gov', 'org', 'com']

/** Whether the address of a folder is the publisher's own: security.access.redhat.com is redhat's. */
export function isOwnFolder(folder: string, publisher: string) {
  const { hostname, pathname } = new URL(folder)
  if (fileHosts.includes(hostname)) return siteEnds.some((end) => pathname.startsWith(`/${publisher}${end}/`))
  const parts = hostname.split('.').slice(0, -1)
  return parts.some((_, at) => parts.slice(at).join('.') === publisher)
}

/**
 * A document says itself who publishes it (CSAF 2.0, 3.2.1.8.4). It is believed where the publisher has no folder of its own among those
 * that are read, as others may relay what they did not write (7.1.5); else whoever we read could replace the words of all others.
 */
export const isForeign = (folders: string[], folder: string, publisher: string) =>
  !isOwnFolder(folder, publisher) && folders.some((other) => isOwnFolder(other, publisher))
