import { Email } from '../domain/password'

/** Addresses as people write them: split at commas, semicolons, white space and new lines; each once, in lower case. */
export function readAddresses(input: string | string[]) {
  const texts = [input].flat().flatMap((text) => text.split(/[\s,;]+/))
  const given = [...new Set(texts.filter((text) => text !== '').map((text) => text.toLowerCase()))]
  const valid = given.filter((text) => Email.safeParse(text).success)
  return { given, valid, wrong: given.filter((text) => !valid.includes(text)) }
}
