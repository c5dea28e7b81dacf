import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

type Html = HtmlEscapedString | Promise<HtmlEscapedString>

const style = html`
  <style>
    :root {
      color-scheme: light dark;
    }
    body {
      margin: 0;
      font:
        15px/1.5 system-ui,
        sans-serif;
    }
    .page {
      max-width: 640px;
      margin: 0 auto;
      padding: 24px 16px;
      overflow-wrap: anywhere;
    }
    h1 {
      font-size: 20px;
      line-height: 1.3;
    }
    h2 {
      margin: 20px 0 6px;
      font-size: 16px;
      line-height: 1.3;
    }
    ul {
      margin: 0;
      padding-left: 20px;
    }
    .lines {
      white-space: pre-line;
    }
    .tight {
      margin: 8px 0 4px;
    }
    td:first-child {
      white-space: nowrap;
    }
    td {
      padding: 3px 12px 3px 0;
      vertical-align: top;
    }
    .quiet {
      color: #666;
      font-size: 13px;
    }
    @media (prefers-color-scheme: dark) {
      body {
        background: #1a1b1e;
        color: #e0e0e0;
      }
      a {
        color: #8ab4f8;
      }
      .quiet {
        color: #a0a0a0;
      }
    }
  </style>
`

/** The one look of our mails: plain, readable in light and dark, without images or scripts. */
export async function mailLayout({ title, body, footer }: { title: string; body: Html; footer: string }) {
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>${title}</title>
        ${style}
      </head>
      <body>
        <div class="page">
          <h1>${title}</h1>
          ${body}
          <hr />
          <p class="quiet">${footer}</p>
        </div>
      </body>
    </html>`
  return String(page)
}
