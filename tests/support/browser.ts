import { existsSync } from 'node:fs'
import { chromium, expect } from '@playwright/test'
import { hasPackagedBrowser, installPackagedBrowser } from './packaged-browser.ts'

// The packaged browser is the same everywhere and takes a fifth less work; `EARSHOT_BROWSER=system` tests the machine's own.
const wantsPackaged = hasPackagedBrowser && process.env.EARSHOT_BROWSER !== 'system'
const systemPath = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  String.raw`C:\Program Files\Google\Chrome\Application\chrome.exe`,
].find((path) => !wantsPackaged && existsSync(path))

export const hasBrowser = systemPath !== undefined || hasPackagedBrowser
if (!hasBrowser) {
  const why = `No package brings a browser for ${process.platform} on ${process.arch}, and Chrome or Chromium is not installed in its usual place. Install one of them.`
  // CI must not leave its tests out.
  if (process.env.CI !== undefined) throw new Error(why)
  console.warn(`The browser tests are skipped: ${why}`)
}

const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Waits long enough for a busy machine. */
export const expectPage = expect.configure({ timeout: 60_000 })

export async function launchBrowser() {
  if (systemPath) return chromium.launch({ executablePath: systemPath, args })
  const { executablePath, env } = await installPackagedBrowser()
  return chromium.launch({ executablePath, args, env: { ...process.env, ...env } })
}
