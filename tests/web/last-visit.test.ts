import { beforeEach, expect, test, vi } from 'vitest'
import { noteVisit } from '../../web/home/last-visit'

beforeEach(() => localStorage.clear())

test('a visit begins after a pause, and remembers when the one before it was', () => {
  const at = (time: string) => noteVisit(new Date(`2026-11-20T${time}Z`))
  expect(at('08:00:00')).toBeUndefined()
  expect(at('08:20:00')).toBeUndefined()
  expect(at('09:00:00')).toBe('2026-11-20T08:20:00Z')
  expect(at('09:10:00')).toBe('2026-11-20T08:20:00Z')
  expect(at('17:00:00')).toBe('2026-11-20T09:10:00Z')
  localStorage.setItem('EarshotVisits', 'broken')
  expect(at('18:00:00')).toBeUndefined()
})

test('a browser that keeps nothing knows of no visit', () => {
  const refuse = () => {
    throw new DOMException('The operation is insecure', 'SecurityError')
  }
  vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse, removeItem: refuse })
  expect(noteVisit(new Date('2026-11-20T08:00:00Z'))).toBeUndefined()
  expect(noteVisit(new Date('2026-11-20T18:00:00Z'))).toBeUndefined()
})
