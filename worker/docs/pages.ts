import { html, raw } from 'hono/html'
import { cspHash } from '../http/csp'
import { redocScript, redocStyleHash, documentStyles, swaggerScript } from './browser-code'

type Page = { title: string; script: string; styleSheet?: string; library: string; policy: string[]; hasMain?: boolean }

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
]

/** Its style sheet draws icons from data addresses. Styles that scripts set need no exception. */
export const swaggerPage = showPage({
  title: 'Swagger UI',
  library: '/docs/swagger-ui-bundle.js',
  styleSheet: '/docs/swagger-ui.css',
  hasMain: true,
  script: swaggerScript,
  policy: [`style-src 'self' ${cspHash(documentStyles)}`, "img-src 'self' data:"],
})

/** ReDoc fills empty style elements by script, and searches in a worker that it creates from a blob. */
export const redocPage = showPage({
  title: 'ReDoc',
  library: '/docs/redoc.standalone.js',
  script: redocScript,
  policy: [
    `style-src 'self' ${cspHash(documentStyles)} ${cspHash('')} ${redocStyleHash}`,
    "img-src 'self' data:",
    'worker-src blob:',
  ],
})

function showPage({ title, library, styleSheet, script, policy, hasMain = false }: Page) {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [...strict, `script-src 'self' ${cspHash(script)}`, ...policy].join('; '),
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
          ${styleSheet ? html`<link rel="stylesheet" href="${styleSheet}" />` : ''}${raw(`<style>${documentStyles}</style>`)}
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
          ${raw(`<script>${script}</script>`)}
        </body>
      </html>`
    return new Response(String(text), { headers })
  }
}
