import { existsSync } from 'node:fs'
import { chromium } from '@playwright/test'

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
)

/** Whether a browser is installed; without one the browser tests say that they are skipped. */
export const hasBrowser = executablePath !== undefined
if (!hasBrowser) console.warn('No Chromium here: the browser tests are skipped')

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

export const launchBrowser = () => chromium.launch({ executablePath: executablePath ?? '', args })
