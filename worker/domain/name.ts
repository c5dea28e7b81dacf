import { z } from 'zod'

/** One line of text: no control characters, line ends or marks that turn the direction of what follows. */
export const oneLine = /^[^\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]*$/u
/** What a mail program makes a link of: a mailbox, a page, or a host such as example.com. */
const linkLike = /@|:\/\/|\bwww\.|[\p{L}\p{N}]\.\p{L}{2}/iu

export const LineText = z.string().trim().regex(oneLine, 'Must be one line')

/** For names that appear in mails to people who did not ask for them: no links. */
export const PlainName = LineText.refine(
  (name) => !linkLike.test(name),
  'Must not look like a mail address or the address of a page',
)
