import { raw } from 'hono/html'
import { html } from '../http/html'

type Page = { title: string; styleSheet?: string; library: string; policy: string[]; hasMain?: boolean }

const places = [
  ['Swagger UI', '/api/docs/swagger/'],
  ['ReDoc', '/api/docs/redoc/'],
  ['OpenAPI', '/api/docs/openapi.json'],
  ['Help', '/help#api'],
]

const strict = [
  "default-src 'none'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "script-src 'self'",
]

/** Its style sheet draws icons from data addresses. Styles that scripts set need no exception. */
export const swaggerPage = showPage({
  title: 'Swagger UI',
  library: '/docs/swagger-ui-bundle.js',
  styleSheet: '/docs/swagger-ui.css',
  hasMain: true,
  policy: ["style-src 'self'", "img-src 'self' data:"],
})

const emptyStyle = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
/** The hash of the style that ReDoc writes for its scroll bars; the page's test fails when it changes. */
const redocStyle = "'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='"

/** ReDoc fills empty style elements by script, and searches in a worker that it creates from a blob. */
export const redocPage = showPage({
  title: 'ReDoc',
  library: '/docs/redoc.standalone.js',
  policy: [`style-src 'self' ${emptyStyle} ${redocStyle}`, "img-src 'self' data:", 'worker-src blob:'],
})

function showPage({ title, library, styleSheet, policy, hasMain = false }: Page) {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [...strict, ...policy].join('; '),
  }
  return async () => {
    const text = await html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="robots" content="noindex" />
          <link rel="icon" type="image/svg+xml" href="/favicon.svg" />
          <title>${title} · Earshot</title>
          ${styleSheet ? html`<link rel="stylesheet" href="${styleSheet}" />` : ''}
          <link rel="stylesheet" href="/docs/viewer.css" />
        </head>
        <body>
          <header>
            <a class="brand" href="/"><img src="/favicon.svg" alt="" width="26" height="26" />Earshot</a>
            <nav aria-label="Documents">
              ${places.map(
                ([name, address]) =>
                  html`<a href="${address}" ${name === title ? raw('aria-current="page"') : ''}>${name}</a>`,
              )}
            </nav>
          </header>
          <div id="document" ${hasMain ? '' : raw(`role="main"`)}>
            <noscript
              >This page needs JavaScript. The document itself is
              <a href="/api/docs/openapi.json">OpenAPI</a>.</noscript
            >
          </div>
          <script src="${library}"></script>
          <script src="/docs/viewer.js"></script>
        </body>
      </html>`
    return new Response(String(text), { headers })
  }
}
