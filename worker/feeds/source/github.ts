import type { Env } from '../../env'
import { fetchText } from '../read/fetch-source'
import { SourceError } from '../read/source-error'
import type { FeedPlace, Watched } from './feed'

export const githubHeaders = ({ GITHUB_TOKEN }: Env, accept: string): Record<string, string> => ({
  accept,
  ...(GITHUB_TOKEN && { authorization: `Bearer ${GITHUB_TOKEN}` }),
})

const branchPattern = /^https:\/\/codeload\.github\.com\/([^/]+\/[^/]+)\/zip\/refs\/heads\/([^/]+)$/

/**
 * GitHub packs a whole repository for each answer; it says the commit of a branch in 40 letters, and knows them as an ETag.
 * Null for an address elsewhere.
 */
export function watchBranch({ env, origin }: FeedPlace, version: string): Watched | null {
  const [, repository, branch] = branchPattern.exec(origin) ?? []
  if (!repository) return null
  const url = `https://api.github.com/repos/${repository}/commits/${branch}`
  return { url, version, headers: githubHeaders(env, 'application/vnd.github.sha') }
}

/** The archive of the commit that a branch is at, and its version. */
export async function findCommit(origin: string, { url, headers }: Watched) {
  const commit = (await fetchText(url, { max_bytes: 1_000, ...(headers && { headers }) }))?.trim() ?? ''
  if (!/^[\da-f]{40,64}$/.test(commit)) throw new SourceError('GitHub names no commit of the branch')
  return { url: origin.replace(/refs\/heads\/.*/, commit), version: `"${commit}"` }
}
