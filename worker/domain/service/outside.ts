import { slot_s } from './objectives'

/** Of each five minutes of a day: '.' nobody looked, '1' every look found it available, '0' one did not. */
export const unseenSlots = '.'.repeat(86_400 / slot_s)

export type Look = { at: string; is_ok: boolean }

/** A look that found it away stands, whatever others saw within its five minutes; the same look twice changes nothing. `at` is of this day, in UTC. */
export function markLook(slots: string, { at, is_ok }: Look) {
  const place = Math.floor((Date.parse(at) % 86_400_000) / (slot_s * 1000))
  if (is_ok && slots[place] === '0') return slots
  return slots.slice(0, place) + (is_ok ? '1' : '0') + slots.slice(place + 1)
}
