import { cleanup, configure, getConfig, prettyDOM } from '@testing-library/react'
import { afterEach, beforeEach, vi } from 'vitest'

// The one place that says how long a test waits. A busy machine is slow, not wrong, and a screen is loaded on its first visit.
configure({ asyncUtilTimeout: 15_000, getElementError: describeFailure })
vi.setConfig({ testTimeout: 60_000 })
afterEach(cleanup)

/** The page is printed by the query that gives up, not at each change of it that a query waits through. */
function describeFailure(message: string | null, container: Element) {
  const { _disableExpensiveErrorDiagnostics: isAskedAgain } = getConfig() as {
    _disableExpensiveErrorDiagnostics?: boolean
  }
  const error = new Error([message, isAskedAgain ? '' : prettyDOM(container)].filter(Boolean).join('\n\n'))
  error.name = 'TestingLibraryElementError'
  return error
}

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
