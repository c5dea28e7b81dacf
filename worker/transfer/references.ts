/** Of a private name: the part that no other organization has. */
export const toOwnKey = (stored: string) => stored.replace(/^ORG-\d+-/, '')

/** A vulnerability as a file names it: by the id that is stored, and the organization's own by the key of its name. */
export const toReference = (stored: string | null) => (stored ?? '').replace(/^ORG-\d+-/, 'own:')
