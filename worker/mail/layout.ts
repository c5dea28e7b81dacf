import { raw } from 'hono/html'
import { html } from '../http/html'
import type { HtmlEscapedString } from 'hono/utils/html'

export type MailBody = HtmlEscapedString | Promise<HtmlEscapedString>

/** Dark mode needs classes, which some mail programs drop: essential styles are inline. Without needless spaces: it stands in each mail. */
const style = raw(`<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{margin:0;padding:0;background:#eef1f3;color:#1d2329;font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}
h1,h2,h3,li{overflow-wrap:anywhere}
h1{margin:0 0 10px;font-size:20px;line-height:1.3}
h2{margin:24px 0 6px;font-size:16px;line-height:1.3}
h3{margin:16px 0 4px;font-size:15px;line-height:1.3}
p{margin:0 0 12px}
ul{margin:0 0 12px;padding-left:20px}
a{color:#0b5f73}
.card{background:#fff}
.lines{white-space:pre-line}
.tight{margin:10px 0 4px}
.quiet{color:#5a646d;font-size:13px}
.line{border-top:1px solid #d9dee2}
.narrow{display:none}
@media (max-width:600px){
.edge{padding-left:16px!important;padding-right:16px!important}
.wide{display:none!important}
.narrow{display:inline!important}
.stack,.stack>tbody,.stack>tbody>tr,.stack>tbody>tr>td{display:block!important;width:auto!important}
.stack>tbody>tr.wide{display:none!important}
.stack>tbody>tr>td{padding:8px 0 0!important}
.stack>tbody>tr>td + td{border-top:0!important;padding:1px 0!important}
}
@media (prefers-color-scheme:dark){
body,.ground{background:#101316!important;color:#e3e6e8!important}
.card{background:#1a1e22!important}
.line{border-top-color:#3a4249!important}
.track{background:#2b3238!important}
a{color:#8cc8e0}
.brand{color:#7fd1d1!important}
.quiet{color:#a3adb5!important}
.action{color:#fff!important}
}
</style>`)

const buttonStyle =
  'display:inline-block;padding:12px 22px;border-radius:6px;background:#0f5c5c;color:#fff;font-weight:600;text-decoration:none'

export const mailButton = ({ label, url }: { label: string; url: string }) =>
  html`<p style="margin:16px 0"><a class="action" href="${url}" style="${buttonStyle}">${label}</a></p>`

/** A second line "Unsubscribe: https://…" becomes a link. Names of organizations cannot forge it: they hold no line ends. */
function linkedFooter(footer: string) {
  const [text = '', way = '', ...further] = footer.split('\n')
  const at = way.indexOf(': ')
  return at > 0
    ? html`${text} <a href="${way.slice(at + 2)}">${way.slice(0, at)}</a>${further.map((line) => html`<br />${line}`)}`
    : footer
}

type Page = {
  title: string
  body: MailBody
  /** One line; a second one holds the link that ends such mails, and later ones stand below. */
  footer: string
  /** Text that a list of mails shows beside the subject. */
  preview?: string
}

/** Readable in light and dark, without images or scripts. */
export async function mailLayout({ title, body, footer, preview }: Page) {
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>${title}</title>
        ${style}
      </head>
      <body class="ground">
        ${preview ? html`<div style="display:none;max-height:0;overflow:hidden">${preview}</div>` : ''}
        <table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" class="ground">
          <tr>
            <td align="center" style="padding:8px 0 16px">
              <table
                role="presentation"
                width="100%"
                cellpadding="0"
                cellspacing="0"
                border="0"
                style="max-width:640px;text-align:left"
              >
                <tr>
                  <td class="edge" style="padding:4px 24px 8px">
                    <span class="brand" style="color:#0f5c5c;font-size:17px;font-weight:700">Earshot</span>
                  </td>
                </tr>
                <tr>
                  <td
                    class="card edge"
                    style="padding:16px 24px;border-radius:8px;overflow-wrap:anywhere;word-break:break-word"
                  >
                    <h1>${title}</h1>
                    ${body}
                  </td>
                </tr>
                <tr>
                  <td class="edge quiet" style="padding:12px 24px;overflow-wrap:anywhere">${linkedFooter(footer)}</td>
                </tr>
              </table>
            </td>
          </tr>
        </table>
      </body>
    </html>`
  return String(page)
}
