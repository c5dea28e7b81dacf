import * as z from 'zod'
import { hasMailHost, withPlainDomain } from './mailbox'

/** S1 §5: more than 8 characters with an uppercase letter, a digit and a special character. */
export const NewPassword = z
  .string({ error: 'Password is required' })
  .min(1, 'Password is required')
  .min(9, 'The password must be longer than 8 characters')
  .max(256, 'The password must be at most 256 characters long')
  .regex(/\p{Lu}/u, 'Must have one uppercase character')
  .regex(/\p{N}/u, 'Must have one number')
  .regex(/[^\p{L}\p{N}\s]/u, 'Must have one special character [!@#$%-_]')

/** S1 §5, registration: more than 3 characters, lower case letters, digits and underscore. */
export const NewUsername = z
  .string({ error: 'Username is required' })
  .min(1, 'Username is required')
  .min(4, 'A username must be more than 3 characters long')
  .max(128, 'A username must be at most 128 characters long')
  .regex(/^[a-z0-9_]+$/, 'A username can only contain lowercase letters, digits and underscore')

const anyEmail = z
  .string({ error: 'E-mail is required' })
  .trim()
  .min(1, 'E-mail is required')
  // The checks after it take the longer the longer it is.
  .max(254, { error: 'E-mail must be valid', abort: true })
  .regex(/^[^\s\p{C}@<>"(),:;[\]\\]+@[^\s\p{C}@<>"(),:;[\]\\]+\.[^\s\p{C}@<>"(),:;[\]\\.]+$/u, 'E-mail must be valid')
  .refine(hasMailHost, 'E-mail must be valid')

const isPlainMailbox = (email: string) => /^[\x21-\x7e]*@/.test(email)
const toPlain = (email: string) => withPlainDomain(email.toLowerCase())

/** An address of a person whom a provider names: nothing need be mailed there. */
export const NamedEmail = anyEmail.transform(toPlain)

/** Many mail servers, and the platform, take other letters in a domain, but not before the @ (RFC 6531). */
export const Email = anyEmail
  .refine(isPlainMailbox, 'No mail reaches an address with other letters than a to z before the @')
  .transform(toPlain)
