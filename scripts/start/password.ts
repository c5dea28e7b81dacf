import { randomInt } from 'node:crypto'

const consonants = 'bdfghkmnprstvz'
const vowels = 'aeiou'

/** Easy to read out and to type, with 60 random bits: Zubo-Kire-Mafu-Noda-7394! */
export function newPassword() {
  const words = Array.from({ length: 4 }, newWord)
  return `${words.join('-')}-${randomInt(1000, 10_000)}!`
}

function newWord() {
  const word = pick(consonants) + pick(vowels) + pick(consonants) + pick(vowels)
  return word.charAt(0).toUpperCase() + word.slice(1)
}

const pick = (letters: string) => letters.charAt(randomInt(letters.length))
