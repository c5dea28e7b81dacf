import { hasBrowser, launchBrowser } from '../support/browser.ts'
import { admin } from '../support/product.ts'
import { quantile } from './latency.ts'
import type { MeasuredLine } from './latency.ts'

/** A new server has other work at first. */
const settled_ms = 10_000

/** How long a toggle in a list of 100 rows takes to react, in a browser with a quarter of the CPU. */
export async function measureToggle(url: string): Promise<MeasuredLine[]> {
  const name = 'toggle among 100 rows, CPU at a quarter (at most 100 ms)'
  if (!hasBrowser) return [[name, 'not measured: no browser here']]
  const browser = await launchBrowser()
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  await page.goto(`${url}/auth`)
  await page.getByLabel('Username').fill(admin.username)
  await page.getByLabel('Password', { exact: true }).fill(admin.password)
  await page.keyboard.press('Enter')
  await page.waitForURL(/homepage/)
  await page.goto(`${url}/vulns?limit=100`)
  await page.locator('tbody tr:nth-child(100)').waitFor()
  await page.waitForLoadState('networkidle')
  await page.waitForTimeout(settled_ms)
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  const [answered, done]: [number[], number[]] = [[], []]
  const off = await page.evaluate(() =>
    [...document.querySelectorAll('tbody tr')].map((row) => row.querySelector('button[aria-pressed="false"]') !== null),
  )
  for (let row = 3; row < 100; row += 2) {
    if (!off[row]) continue
    const waits = await page.evaluate(press, row)
    answered.push(waits.answered)
    done.push(waits.done)
  }
  await browser.close()
  const figure = (waits: number[]) =>
    `p50 ${quantile(waits, 0.5).toFixed(0)} ms, p95 ${quantile(waits, 0.95).toFixed(0)} ms`
  return [
    [name, figure(answered)],
    ['    until the server has taken it', figure(done)],
  ]
}

/** Presses the toggle of a row and measures the time until it reacts, and until it shows its new value. */
const press = (row: number) =>
  new Promise<{ answered: number; done: number }>((resolve, reject) => {
    const toggle = () => document.querySelectorAll('tbody tr')[row]?.querySelector<HTMLElement>('button[aria-pressed]')
    const was = toggle()?.getAttribute('aria-pressed')
    const from = performance.now()
    let answered = 0
    const watch = () => {
      const isTurned = toggle()?.getAttribute('aria-pressed') !== was
      if (isTurned || toggle()?.getAttribute('aria-busy') === 'true') answered ||= performance.now() - from
      if (isTurned) resolve({ answered, done: performance.now() - from })
      else if (performance.now() - from > 20_000) reject(new Error(`Row ${row} never turned`))
      else requestAnimationFrame(watch)
    }
    toggle()?.click()
    watch()
  })
