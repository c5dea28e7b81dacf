import { cleanup, configure } from '@testing-library/react'
import { afterEach, vi } from 'vitest'

// The one place that says how long a test waits. A busy machine is slow, not wrong, and a screen is loaded on its first visit.
configure({ asyncUtilTimeout: 15_000 })
vi.setConfig({ testTimeout: 60_000 })
afterEach(cleanup)
