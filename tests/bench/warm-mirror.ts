import { startMirror } from '../../scripts/mirror.ts'
import { osvEcosystems } from '../../scripts/mirror/packages-osv.ts'

/** Lets the mirror compose the files that it has in another form, so that its own work is not measured. */
export async function warmMirror(folder: string, cache: string) {
  const mirror = await startMirror({ folder, cache })
  const get = async (path: string) => {
    const response = await fetch(new URL(path, mirror.url))
    // What its folder lacks is not served.
    const bytes = await response.arrayBuffer()
    return response.ok ? new TextDecoder().decode(bytes.slice(0, 1_000_000)) : ''
  }
  for (let year = 2002; year <= new Date().getUTCFullYear(); year++) await get(`/nvd/feeds/nvdcve-2.0-${year}.json.gz`)
  for (const [, url = ''] of (await get('/cve/releases')).matchAll(/"browser_download_url":\s*"([^"]+)"/g))
    await get(url)
  for (const ecosystem of osvEcosystems(folder)) await get(`/osv/${ecosystem}/all.zip`)
  for (const path of [
    '/anchore/nvd-data-overrides/zip/refs/heads/main',
    '/redhat/cve.json',
    '/nomi-sec/PoC-in-GitHub/zip/refs/heads/master',
  ])
    await get(path)
  await mirror.close()
}
