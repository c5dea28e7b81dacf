const needed = '3.51'

/** Whether a version of SQLite is too old for our statements; an unreadable version counts as too old. */
export function tooOld(version: string) {
  const [major, minor] = version.split('.').map(Number)
  const [least = 0, leastMinor = 0] = needed.split('.').map(Number)
  if (!major || minor === undefined || Number.isNaN(minor)) return true
  return major < least || (major === least && minor < leastMinor)
}

/** Why we cannot deploy to the remote database, from the answer of `wrangler d1 execute --json`; undefined if we can. */
export function judgeAnswer(ask: () => string) {
  let answer: string
  try {
    answer = ask()
  } catch {
    return 'The remote database could not be asked for its version'
  }
  const version = /"version":\s*"([\d.]+)"/.exec(answer)?.[1] ?? 'unknown'
  return tooOld(version) ? `The remote database runs SQLite ${version}, and ${needed} or newer is needed` : undefined
}
