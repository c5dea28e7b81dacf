import { raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import * as z from 'zod'
import { noteError } from '../db/error-text'
import { withoutTurns } from '../domain/people/name'
import type { Env } from '../env'
import { endpoint } from '../http/endpoint'
import { Failure } from '../http/errors'
import { html } from '../http/html'
import { route, type Bound, type RequestScope } from '../http/route'
import { readBuilt } from './built'
import { admitReader, cached } from './open-route'

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

type Page = {
  title: string
  description: string
  /** From the first slash. */
  path: string
  body: Html
  status?: number
  /** For search engines and previews of links; search engines must not list a page without it. */
  head?: Html
  cache_seconds?: number
  hasDialog?: boolean
}

/** As `head`: search engines may list the page. */
export const mayIndex = html`<meta name="robots" content="index" />`

const writePolicy = ({ styles, script }: typeof plain.hashes) =>
  `default-src 'none'; style-src ${styles}; script-src ${script}; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`

/** A page without them can be read and used all the same. */
const plain = { styles: '', script: '', hashes: { styles: "'none'", script: "'none'" } }

async function readLook(env: Env) {
  try {
    return await readBuilt(env)
  } catch (error) {
    noteError({ job: 'public_styles' }, error)
    return plain
  }
}

/** Complete without scripts: the only script opens and sends the newsletter dialog. */
export async function showPage(env: Env, page: Page) {
  const { title, description, path, body, head, hasDialog = false } = page
  const { styles, script, hashes } = await readLook(env)
  const text = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content="${description}" />
        ${head ?? raw('<meta name="robots" content="noindex">')}
        <link rel="canonical" href="${env.APP_URL}${path}" />
        <link rel="icon" type="image/svg+xml" href="/favicon.svg" />
        <title>${title} · Earshot</title>
        ${raw(`<style>${styles}</style>`)}
      </head>
      <body>
        <header class="bar">
          <a class="brand" href="/public/search"><img src="/favicon.svg" alt="" width="26" height="26" />Earshot</a>
          <form class="find" action="/public/search" role="search">
            <input type="search" name="q" aria-label="Search vulnerabilities" placeholder="CVE id or words" required />
            <button>Search</button>
          </form>
          <nav aria-label="Account">
            <a href="/auth">Sign in</a>
            <a class="action" href="/trial">Start a free 14-day trial</a>
          </nav>
        </header>
        <main>${body}</main>
        <footer>
          <a href="/public/newsletter" data-newsletter>Newsletter</a>
          <a href="/conformance">How exact it is</a>
          <a href="/census">Census</a>
          <a href="/status">Status</a>
          <a href="/sources">Sources</a>
          <span>Earshot hears which new vulnerability touches what you run.</span>
        </footer>
        ${hasDialog ? newsletterDialog() : ''} ${hasDialog ? raw(`<script>${script}</script>`) : ''}
      </body>
    </html>`
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': page.cache_seconds && styles ? cached(page.cache_seconds) : 'no-store',
    'content-security-policy': writePolicy(hashes),
  }
  return new Response(withoutTurns(String(text)), { status: page.status ?? 200, headers })
}

const messages: Readonly<Record<number, string>> = {
  404: 'There is nothing public at this address.',
  429: 'Too many requests came from your address: try again in a minute.',
}

/** A page, not JSON: browsers and search engines call these addresses. */
async function failurePage(env: Env, error: unknown) {
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

export const newsletterWords = html`<p>
  The vulnerabilities that matter, by mail. You confirm your address first, and can unsubscribe at any time.
</p>`

/** `prefix` begins its id and that of its problem. */
export const emailField = (prefix: string, more: Html | string = '') =>
  html`<label for="${prefix}email">E-mail</label>
    <input
      id="${prefix}email"
      name="email"
      type="email"
      autocomplete="email"
      maxlength="254"
      aria-describedby="${prefix}problem"
      ${more}
      required
    />`

/** Its script opens it; without scripts a link leads to the page instead. */
const newsletterDialog = () => html`
  <dialog id="newsletter" aria-labelledby="newsletter-title">
    <form method="post" action="/public/newsletter" novalidate>
      <h2 id="newsletter-title">Newsletter</h2>
      ${newsletterWords} ${emailField('newsletter-')}
      <p id="newsletter-problem" class="problem" aria-live="polite"></p>
      <div class="buttons">
        <button type="button" data-close>Close</button>
        <button class="action" disabled>Subscribe</button>
      </div>
    </form>
  </dialog>
  <p id="notice" class="notice" role="status" hidden></p>
`

const Words = z.record(z.string(), z.string())
const Fields = z.object({ email: z.string().catch('') })
export type PageRequest = RequestScope & {
  params: Record<string, string>
  query: Record<string, string>
  body: z.output<typeof Fields>
}

/** A public page; failures become pages, too. */
export function pageRoute(
  method: 'GET' | 'POST',
  path: string,
  show: (request: PageRequest) => Promise<Response> | Response,
): Bound {
  const contract = endpoint({
    method,
    path,
    access: 'public',
    isShared: method === 'GET',
    summary: 'A page',
    params: Words,
    query: Words,
    body: Fields,
    reply: z.never(),
  })
  return route(contract).handle(async (request) => {
    try {
      if (method === 'GET') await admitReader(request)
      return await show(request)
    } catch (error) {
      if (!(error instanceof Failure)) noteError({ request: request.request, method, route: path }, error)
      return failurePage(request.env, error)
    }
  })
}
