import { Email } from '../../../worker/domain/password'

/** Splits at commas, semicolons, spaces and lines; an address counts once. */
export function splitAddresses(text: string) {
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
