import { html } from 'hono/html'
import type { Env } from '../env'
import { Failure } from '../http/errors'
import { showPage } from './page'

const messages: Readonly<Record<number, string>> = {
  404: 'There is nothing public at this address.',
  429: 'Too many requests came from your address: try again in a minute.',
}

/** A page, not JSON: browsers and search engines call these addresses. */
export async function failurePage(env: Env, error: unknown) {
  const { status, headers } =
    error instanceof Failure ? error : { status: 503 as const, headers: { 'retry-after': '2' } }
  const page = await showPage(env, {
    title: 'Unable to get vuln details',
    description: 'Unable to get vuln details',
    path: '/public/search',
    status,
    body: html`<div class="notice error brief" role="alert"><strong>Error</strong><br />Unable to get vuln details</div>
      <div class="narrow card">
        <h1>Unable to get vuln details</h1>
        <p>${messages[status] ?? 'Something went wrong on our side: try again in a moment.'}</p>
        <a class="action" href="/public/search">Search vulnerabilities</a>
      </div>`,
  })
  for (const [name, value] of Object.entries(headers)) page.headers.set(name, value)
  return page
}
