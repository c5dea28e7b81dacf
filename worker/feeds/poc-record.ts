import { z } from 'zod'
import { giveWayAt } from '../db/give-way'
import { cveIdPattern } from '../domain/cve'
import { exploitKey } from '../domain/exploit-key'
import { utcStamp } from './dates'
import { listReader, plainText } from './exploit-records'
import type { Listed } from './exploit-records'
import { exploitWorth } from './exploit-worth'

/** From so many stars on others have looked at a repository; below, anybody may have put anything there. */
const trustedStars = 50

const time = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)))
  .transform(utcStamp)
  .optional()
  .catch(undefined)

/** A repository as GitHub describes it, and the CVE in whose file of PoC-in-GitHub it stands. */
const PocEntry = z.object({
  cveid: z.string().regex(cveIdPattern, 'not a CVE id'),
  repository: z.object({
    full_name: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
    html_url: z.string().regex(/^https:\/\/github\.com\//),
    description: z.string().nullish(),
    created_at: time,
    pushed_at: time,
    stargazers_count: z.number().catch(0),
  }),
})
type PocEntry = z.output<typeof PocEntry>

/** Stars come and go every day: only what they are worth is kept, so that an exploit changes when its code does. */
function fromPoc({ cveid, repository }: PocEntry): Listed {
  const { full_name, html_url, description, created_at, pushed_at, stargazers_count } = repository
  return {
    cveids: [cveid],
    // What a repository calls itself tells little of the vulnerability.
    title: '',
    exploit: {
      key: exploitKey(html_url),
      link: html_url,
      notes: plainText(description ? `${full_name}: ${description}` : full_name),
      ...(stargazers_count >= trustedStars ? exploitWorth.starredRepository : exploitWorth.repository),
      ...(created_at && { published: created_at }),
      ...(pushed_at && { modified: pushed_at }),
    },
  }
}

const filePattern = /^[^/]+\/\d{4}\/([^/]+)\.json$/

/** Whether a file of the archive lists the repositories of a CVE. */
export const isPocFile = (path: string) => filePattern.test(path)

/** `<archive>/2021/CVE-2021-44228.json`, each an array of repositories. Throws when there are none. */
export async function readPoc(files: AsyncIterable<{ name: string; text: string | null }>) {
  const reader = listReader(PocEntry, fromPoc)
  let read = 0
  for await (const { name, text } of files) {
    if (text === null) continue
    await giveWayAt(read++, 50)
    const cveid = filePattern.exec(name)?.[1] ?? name
    const repositories = parse(text)
    if (!repositories) reader.refuse(cveid, 'not a list of repositories', text)
    for (const repository of repositories ?? []) reader.add(cveid, { cveid, repository })
  }
  if (!reader.listed.length) throw new Error('The archive holds no repositories')
  return reader
}

function parse(text: string): unknown[] | null {
  try {
    const json: unknown = JSON.parse(text)
    return Array.isArray(json) ? json : null
  } catch {
    return null
  }
}
