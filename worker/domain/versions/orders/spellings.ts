/** Another spelling of a version, for ranges that have a version which looks like `isUsedIn`; it says less where it `drops` something. */
export type Spelling = { version: string; isUsedIn: RegExp; drops?: RegExp }

type Respelling = { from: RegExp; to: string } & Omit<Spelling, 'version'>

/** Each alone may mean something else (`1.04b05` of D-Link is no beta), so that the range that is asked decides. */
const respellings: Respelling[] = [
  {
    from: /^([5-9])(?:\.0)?[ ._-]?(?:u|update)[ _]?(\d{1,3})(?:-.*)?$/i,
    to: '1.$1.0 update$2',
    isUsedIn: /^1\.[2-9](?:\.|$)/,
  },
  { from: /^1\.([5-9])\.0(?:_|[ _:.-]?(?:u|update)[ _]?)(\d{1,3})(?:-.*)?$/i, to: '$1u$2', isUsedIn: /^[5-9]u\d/i },
  { from: /^(\d.{0,60}\d)b(\d{1,3})$/i, to: '$1 beta$2', isUsedIn: /beta/i },
  { from: /^(\d.{0,60}\d)a(\d{1,3})$/i, to: '$1 alpha$2', isUsedIn: /alpha/i },
  { from: /^(\d.{0,60}\d)[-_. ]?beta[-_. ]?(\d{1,3})$/i, to: '$1b$2', isUsedIn: /\db\d{1,3}$/i },
  { from: /^(\d.{0,60}\d)[-_. ]?alpha[-_. ]?(\d{1,3})$/i, to: '$1a$2', isUsedIn: /\da\d{1,3}$/i },
  // Systems of phones, and InDesign, whose ranges are numbers (feeds/cve5/own-words).
  { from: /^(?:android|id)[ _-]?(\d[\d.]{0,60})$/i, to: '$1', isUsedIn: /^\d/ },
  // A range that ends at 7.2.7 means its builds, too, unless builds are named.
  { from: /^(v?\d[\d.]{0,60}\d)[-_. (]{1,3}build[-_. ]?\d{1,10}\)?$/i, to: '$1', isUsedIn: /\d/, drops: /build/i },
]

export const listSpellings = (version: string): Spelling[] =>
  respellings.flatMap(({ from, to, ...used }) =>
    from.test(version) ? [{ version: version.replace(from, to), ...used }] : [],
  )
