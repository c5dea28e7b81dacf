import { z } from 'zod'
import { cveIdPattern } from '../domain/cve'
import { exploitKey } from '../domain/exploit-key'
import { utcStamp } from './dates'
import type { Listed } from './exploit-records'
import { plainText } from './exploit-records'
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
export const PocEntry = z.object({
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
export type PocEntry = z.output<typeof PocEntry>

/** Stars come and go every day: only what they are worth is kept, so that an exploit changes when its code does. */
export function fromPoc({ cveid, repository }: PocEntry): Listed {
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
