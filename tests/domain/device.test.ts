import { expect, test } from 'vitest'
import { describeDevice } from '../../worker/domain/people/device'

test.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/142.0 Safari/537.36 Edg/142.0',
    'Edge on Windows',
  ],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605 Version/19.0 Safari/605.1.15', 'Safari on macOS'],
  ['Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/142.0 Mobile Safari/537.36', 'Chrome on Android'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) FxiOS/146.0 Mobile Safari/605', 'Firefox on iPhone'],
  ['python-requests/2.32', 'python-requests'],
  ['', 'Unknown device'],
])('%s is called "%s"', (userAgent, words) => expect(describeDevice(userAgent)).toBe(words))
