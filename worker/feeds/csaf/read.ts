import { toBulletin, type Bulletin } from './bulletin'
import { errorText } from '../../db/error-text'
import { CsafDocument, isPublic } from './document'
import { describeIssue, newSkip, type Skip } from '../source/read-records'
import type { WithdrawnBulletin } from './write'
import { fetchText, TooLarge } from '../read/fetch-source'
import type { Enlarge } from '../read/lanes'

/** Some vendors write documents of 30 MB; parsing one above this limit would fill the memory of a Worker. */
const maxDocument = 8_000_000

export type Read =
  | { kind: 'bulletin'; url: string; bulletin: Bulletin }
  | {
      kind: 'skip'
      url: string
      skip: Skip
      withdrawn?: WithdrawnBulletin
    }

/** One whose publisher is `isForeign` to its folder says nothing. */
export async function readDocument(
  url: string,
  isForeign: (publisher: string) => boolean,
  enlarge?: Enlarge,
): Promise<Read> {
  const text = await fetchText(url, { max_bytes: maxDocument, ...(enlarge && { enlarge }) }).catch(orTooLarge)
  if (text === undefined) return createSkip(url, `larger than ${maxDocument} bytes`)
  if (text === null) return createSkip(url, 'The list names it, but there is no such file')
  try {
    const parsed = CsafDocument.safeParse(JSON.parse(text))
    if (!parsed.success) return createSkip(url, describeIssue(parsed.error, 'not a CSAF document'), text)
    const bulletin = toBulletin(parsed.data, url)
    const { source: publisher, publicid, modified, version } = bulletin
    if (isForeign(publisher)) return createSkip(url, `It speaks for ${publisher}, which publishes elsewhere`, text)
    if (isPublic(parsed.data)) return { kind: 'bulletin', url, bulletin }
    return {
      ...createSkip(url, 'not for everybody (TLP)'),
      withdrawn: { source: publisher, publicid, modified, version },
    }
  } catch (error) {
    return createSkip(url, errorText(error), text)
  }
}

export const createSkip = (url: string, reason: string, text = '') =>
  ({ kind: 'skip', url, skip: newSkip(url, reason, text) }) as const

function orTooLarge(error: unknown) {
  if (error instanceof TooLarge) return undefined
  throw error
}
