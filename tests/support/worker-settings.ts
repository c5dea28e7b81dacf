/** Of a Worker that a test runs: feeds without an address are not asked, and callers ask faster than people do. */
export const workerSettings = {
  APP_SECRET: 'only-for-tests-0123456789abcdef0123456789abcdef',
  APP_URL: 'https://earshot.test',
  MAIL_FROM: 'Earshot <alerts@earshot.test>',
  OFFLINE: '1',
  LOCAL_CHANNELS: '1',
  RATE_SCALE: '1000',
  NOTE_REFUSALS: '0',
}
