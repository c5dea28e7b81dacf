import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContext, Page } from '@playwright/test'
import { build } from 'vite'
import { hasBrowser, launchBrowser } from '../support/browser.ts'
import { admin } from '../support/product.ts'
import type { Figure } from './figures.ts'
import { quantile } from './latency.ts'

const rounds = 7
/** How fast screens appear in a browser, in turn with a React page that shows one line. */
export async function measureBrowser(url: string): Promise<Figure[]> {
  if (!hasBrowser) return [{ what: 'screens in a browser', figure: 'not measured: no browser here' }]
  const browser = await launchBrowser()
  const context = await signInContext(browser, url)
  const finished = await readFinished(context, `${url}/vulns`)
  const minimal = await serveMinimal(finished)
  const lines: Figure[] = [await measureReturn(browser, url, context)]
  for (const rate of [1, 4]) {
    for (const path of ['/vulns', '/vulns/1']) {
      const [bare, own, again]: [number[], number[], number[]] = [[], [], []]
      for (let round = 0; round < rounds; round++) {
        bare.push(await paintTime(context, minimal.url, rate))
        own.push(await paintTime(context, url + path, rate))
        again.push(await paintTime(context, url + path, rate, { sawIt: true }))
      }
      lines.push(compare(`LCP of ${path} beside a minimal page, CPU 1/${rate}`, own, bare, '3 times'))
      const bound = rate === 1 ? '3 times' : '2.5 times'
      lines.push(compare(`and for who comes back to it, CPU 1/${rate}`, again, bare, bound))
    }
  }
  const [bare, drawn]: [number[], number[]] = [[], []]
  for (let round = 0; round < 2 * rounds; round++) {
    bare.push(await paintTime(context, minimal.url, 1))
    drawn.push(await paintTime(context, `${minimal.url}finished`, 1))
  }
  lines.push(compare('the finished list as static HTML beside a minimal page', drawn, bare, '1.8 times'))
  lines.push(...(await measureSteps(context, url)))
  await browser.close()
  await minimal.close()
  return lines
}

/** Beside a browser without a service worker, which keeps the same files in its own cache. */
async function measureReturn(browser: Browser, url: string, without: BrowserContext): Promise<Figure> {
  const context = await signInContext(browser, url, 'allow')
  const page = await context.newPage()
  await page.goto(`${url}/vulns`)
  await page.evaluate(() =>
    navigator.serviceWorker.register('/service-worker.js').then(() => navigator.serviceWorker.ready),
  )
  await page.close()
  const [kept, plain]: [number[], number[]] = [[], []]
  for (let round = 0; round < 2 * rounds; round++) {
    plain.push(await paintTime(without, `${url}/vulns`, 1))
    kept.push(await paintTime(context, `${url}/vulns`, 1))
  }
  await context.close()
  return compare('LCP of /vulns by the service worker beside without', kept, plain)
}

function compare(what: string, own: number[], other: number[], bound?: string): Figure {
  const [a, b] = [quantile(own, 0.5), quantile(other, 0.5)]
  return {
    what,
    figure: `${a.toFixed(0)} ms, ${b.toFixed(0)} ms: ${(a / b).toFixed(2)} times`,
    ...(bound && { bound }),
  }
}

/** The page as it stands at last, with its styles and without scripts: the most that drawing it in the Worker could bring. */
async function readFinished(context: BrowserContext, address: string) {
  const page = await context.newPage()
  await page.goto(address)
  await page.waitForLoadState('networkidle')
  const html = await page.evaluate(() => {
    const styles = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules].map(({ cssText }) => cssText))
    for (const one of document.querySelectorAll('script, link, style')) one.remove()
    const style = document.createElement('style')
    style.textContent = styles.join('\n')
    document.head.append(style)
    return document.documentElement.outerHTML
  })
  await page.close()
  return `<!doctype html>${html}`
}

async function signInContext(browser: Browser, url: string, serviceWorkers: 'allow' | 'block' = 'block') {
  const context = await browser.newContext({ viewport: { width: 1280, height: 850 }, serviceWorkers })
  const page = await context.newPage()
  await page.goto(`${url}/auth`)
  await page.getByLabel('Username').fill(admin.username)
  await page.getByLabel('Password', { exact: true }).fill(admin.password)
  await page.keyboard.press('Enter')
  await page.waitForURL(/homepage/)
  await page.waitForLoadState('networkidle')
  await page.close()
  return context
}

/** When the largest text of the page appeared. The browser's cache stays; how a screen was left only for whoever saw it. */
async function paintTime(context: BrowserContext, address: string, rate: number, { sawIt = false } = {}) {
  const page = await context.newPage()
  if (!sawIt) await page.addInitScript(() => localStorage.removeItem('EarshotScreens'))
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate })
  await page.goto(address)
  await page.waitForLoadState('networkidle')
  const time = await page.evaluate(
    () =>
      new Promise<number>((resolve) =>
        new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? Number.NaN)).observe({
          type: 'largest-contentful-paint',
          buffered: true,
        }),
      ),
  )
  await page.goto('about:blank')
  await page.close()
  return time
}

/** The time from a click within the app until its data appears. */
async function measureSteps(context: BrowserContext, url: string): Promise<Figure[]> {
  const page = await context.newPage()
  await page.goto(`${url}/homepage`)
  await page.waitForLoadState('networkidle')
  const [lists, details]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    const list = page.getByRole('link', { name: 'Vulnerabilities', exact: true }).first()
    lists.push(await timeClick(page, list, 'table[aria-label="Vulnerabilities"] tbody tr[data-id]'))
    const row = page.locator(`tbody tr[data-id]:nth-child(${round + 1}) a[href^="/vulns/"]`).first()
    details.push(await timeClick(page, row, 'section[aria-label="Decision"], section[aria-label="Summary"]'))
    await page.getByRole('link', { name: 'Home', exact: true }).first().click()
    await page.waitForLoadState('networkidle')
  }
  const figure = (waits: number[]) =>
    `p50 ${quantile(waits, 0.5).toFixed(0)} ms, p95 ${quantile(waits, 0.95).toFixed(0)} ms`
  await page.close()
  return [
    { what: 'list within the app', figure: figure(lists), bound: '150 ms' },
    { what: 'detail within the app', figure: figure(details), bound: '200 ms' },
  ]
}

async function timeClick(page: Page, target: ReturnType<Page['locator']>, awaited: string) {
  await target.hover()
  const address = await target.getAttribute('href')
  return page.evaluate(
    ([href, selector]) =>
      new Promise<number>((resolve, reject) => {
        const from = performance.now()
        document.querySelector<HTMLElement>(`a[href="${href}"]`)?.click()
        const watch = () => {
          if (location.pathname === href && document.querySelector(selector ?? '')) resolve(performance.now() - from)
          else if (performance.now() - from > 10_000) reject(new Error(`${href} never stood`))
          else requestAnimationFrame(watch)
        }
        watch()
      }),
    [address, awaited],
  )
}

/** A React page with one line, built and served like ours. */
async function serveMinimal(finished: string) {
  const entry = 'virtual:minimal'
  const code = `import { createElement } from 'react'; import { createRoot } from 'react-dom/client'
    createRoot(document.getElementById('root')).render(createElement('h1', null, 'A page of React that shows one line'))`
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'minimal',
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) => (id === entry ? code : undefined),
      },
    ],
    build: { write: false, rolldownOptions: { input: entry } },
  })
  const script = 'output' in built ? (built.output[0]?.code ?? '') : ''
  const html = '<!doctype html><title>Minimal</title><div id="root"></div><script type="module" src="/app.js"></script>'
  const server = createServer(({ url }, response) => {
    const isScript = url === '/app.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8')
    response.end(isScript ? script : url === '/finished' ? finished : html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, close: () => new Promise((resolve) => server.close(resolve)) }
}
