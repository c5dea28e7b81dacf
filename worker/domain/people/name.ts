import * as z from 'zod'

/** One line of text: no control characters, line ends or marks that turn the direction of what follows. */
export const oneLine = /^[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_C}]*$/u
/** Text that a mail program makes a link of: a mailbox, a page, or a host such as example.com. */
const linkLike = /@|:\/\/|\bwww\.|[\p{L}\p{N}]\.\p{L}{2}/iu

/** Every name that a person gives. */
export const NameText = z
  .string()
  .trim()
  .regex(oneLine, 'Must be one line, without control characters and marks that turn the direction of text')

/** For names that appear in mails to people who did not ask for them: no links. */
export const PlainName = NameText.refine(
  (name) => !linkLike.test(name),
  'Must not look like a mail address or the address of a page',
)
export const OrgName = PlainName.min(2, 'At least 2 characters').max(100)
export const PersonName = PlainName.max(128, 'At most 128 characters')

/** Text from outside: such marks would show an address or a version as another one. */
export const withoutTurns = (text: string) => text.replace(/\p{Bidi_C}+/gu, '')

/** The same for each text of plain data. */
export const withoutTurnsIn = <Value>(value: Value) => JSON.parse(withoutTurns(JSON.stringify(value))) as Value
