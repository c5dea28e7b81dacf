import { generateHOTP } from '@oslojs/otp'

export const password = 'Correct-Horse-9!'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const stepSeconds = 30

/** The code of an authenticator app, `steps` half minutes ahead: each code works once. */
export function currentCode(secret: string, steps = 0) {
  const bits = [...secret.replace(/[\s=]/g, '')]
    .map((char) => alphabet.indexOf(char).toString(2).padStart(5, '0'))
    .join('')
  const key = Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
  return generateHOTP(key, BigInt(Math.floor(Date.now() / 1000 / stepSeconds) + steps), 6)
}
