import { Email } from '../../../worker/domain/password'

/** Addresses as people paste them: by comma, semicolon, space or line, each counted once. */
export function readAddresses(text: string) {
  const given = [
    ...new Set(
      text
        .toLowerCase()
        .split(/[\s,;]+/)
        .filter(Boolean),
    ),
  ]
  const isValid = (address: string) => Email.safeParse(address).success
  return { valid: given.filter(isValid), invalid: given.filter((address) => !isValid(address)) }
}
