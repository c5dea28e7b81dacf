import { cleanup, configure } from '@testing-library/react'
import { afterEach, beforeEach, vi } from 'vitest'

// The one place that says how long a test waits. A busy machine is slow, not wrong, and a screen is loaded on its first visit.
configure({ asyncUtilTimeout: 15_000 })
vi.setConfig({ testTimeout: 60_000 })
afterEach(cleanup)

// Each file begins as if the page were just opened, and each test with what the browser has.
const begin = () => {
  vi.unstubAllGlobals()
  // A file that waits for a clock that nobody moves would never end.
  vi.useRealTimers()
}
beforeEach(begin)
begin()
history.replaceState(null, '', '/')
localStorage.clear()
sessionStorage.clear()
// A module that a file before this one loaded learns that nobody is signed in.
dispatchEvent(new StorageEvent('storage'))

// happy-dom knows no fonts, and a text area that grows waits for them.
Object.defineProperty(document, 'fonts', { value: new EventTarget(), configurable: true })
