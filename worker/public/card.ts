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

/** Wider than a narrow screen it scrolls. */
export const scrolling = (label: string, body: Html, classes = 'scroll card') =>
  html`<div class="${classes}" role="region" aria-label="${label}" tabindex="0">${body}</div>`

type StackedRow = { head: Html; cells: unknown[] }

/** On narrow screens the cells of a row stand one below the other, and would lose their implicit roles. */
export const stackedTable = (label: string, heads: string[], rows: StackedRow[], classes = 'stacks') =>
  scrolling(
    label,
    html`<table class="${classes}" role="table">
      <thead role="rowgroup">
        <tr role="row">
          ${heads.map((head) => html`<th scope="col" role="columnheader">${head}</th>`)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(
          ({ head, cells }) =>
            html`<tr role="row">
              <th scope="row" role="rowheader">${head}</th>
              ${cells.map((cell, at) => html`<td role="cell" data-label="${heads[at + 1]}">${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>`,
  )

/** Addresses other than http(s) become text. */
export const outLink = (href: string, text: string = href) =>
  /^https?:\/\//i.test(href)
    ? html`<a href="${href}" target="_blank" rel="noopener noreferrer nofollow">${text}</a>`
    : html`${text}`
