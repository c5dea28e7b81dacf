// `node scripts/show-mails.ts <folder>`: writes every mail as HTML and text, and as pictures: light and dark, 375 and 1,280 pixels wide.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServer } from 'vite'
import { launchBrowser } from '../tests/support/browser.ts'
import { asWorkers } from '../tests/support/bundled-program.ts'
import { root } from './start/options.ts'

type Mails = Record<string, { subject: string; html: string; text: string }>

const folder = process.argv[2]
if (!folder) {
  console.error('Name a folder outside of the repository: node scripts/show-mails.ts /tmp/mails')
  process.exit(1)
}
mkdirSync(folder, { recursive: true })

// Loads modules of the worker into this process; these open no connections.
const server = await createServer({
  configFile: false,
  root,
  server: { middlewareMode: true },
  appType: 'custom',
  plugins: [asWorkers()],
  ssr: { noExternal: ['worker-mailer'] },
})
const { sampleMails } = (await server.ssrLoadModule('/tests/worker/support/sample-mails.ts')) as {
  sampleMails: () => Promise<Mails>
}
const mails = await sampleMails()
await server.close()

const browser = await launchBrowser()
for (const colorScheme of ['light', 'dark'] as const)
  for (const width of [375, 1280]) {
    const page = await browser.newPage({ viewport: { width, height: 667 }, colorScheme })
    for (const [name, { html }] of Object.entries(mails)) {
      await page.setContent(html)
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`), fullPage: true })
    }
    await page.close()
  }
await browser.close()
for (const [name, { subject, html, text }] of Object.entries(mails)) {
  writeFileSync(join(folder, `${name}.html`), html)
  writeFileSync(join(folder, `${name}.txt`), `Subject: ${subject}\n\n${text}\n`)
}
console.log(`${Object.keys(mails).length} mails in ${folder}`)
