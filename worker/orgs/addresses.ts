import { Email } from '../domain/password'

/** Addresses as people write them: split at commas, semicolons, white space and new lines; each once, in lower case. */
export function readAddresses(input: string | string[]) {
  const texts = [input].flat().flatMap((text) => text.split(/[\s,;]+/))
  const addresses = [...new Set(texts.filter((text) => text !== '').map((text) => text.toLowerCase()))]
  const valid = addresses.filter((text) => Email.safeParse(text).success)
  return { addresses, valid, wrong: addresses.filter((text) => !valid.includes(text)) }
}
