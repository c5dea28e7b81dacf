export const needed = '3.51'

/** Whether a version of SQLite is older than what our statements need; one that cannot be read is. */
export function tooOld(version: string) {
  const [major, minor] = version.split('.').map(Number)
  const [least = 0, leastMinor = 0] = needed.split('.').map(Number)
  if (!major || minor === undefined || Number.isNaN(minor)) return true
  return major < least || (major === least && minor < leastMinor)
}
