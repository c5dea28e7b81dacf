import { html } from '../http/html'
import type { Html } from './page'

export const card = (title: string, body: Html) =>
  html`<section class="card" aria-label="${title}">
    <h2>${title}</h2>
    ${body}
  </section>`

export const words = (rows: (readonly [label: string, value: unknown])[]) =>
  html`<dl class="words">
    ${rows.map(
      ([label, value]) =>
        html`<div>
          <dt>${label}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`

/** Addresses other than http(s) become text. */
export const outLink = (href: string, text: string = href) =>
  /^https?:\/\//i.test(href)
    ? html`<a href="${href}" target="_blank" rel="noopener noreferrer nofollow">${text}</a>`
    : html`${text}`
