import { Email } from '../../../worker/domain/password'

/** Splits at commas, semicolons, spaces and lines; an address counts once. */
export function splitAddresses(text: string) {
  const addresses = [
    ...new Set(
      text
        .toLowerCase()
        .split(/[\s,;]+/)
        .filter(Boolean),
    ),
  ]
  const isValid = (address: string) => Email.safeParse(address).success
  return { valid: addresses.filter(isValid), invalid: addresses.filter((address) => !isValid(address)) }
}
