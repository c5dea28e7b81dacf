import { html } from '../http/html'
import type { Env } from '../env'
import { readBuilt } from './built'
import type { Built } from './built'
import { showPage } from './page'

const cacheSeconds = 3_600

// On narrow screens the cells of a row stand one below the other, and would lose their implicit roles.
const [takes, terms] = ['What Earshot takes', 'Licence or terms']

type Source = Built['sources'][number] & { notice?: string }

const showSource = ({ name, by, url, gives, licence, notice }: Source) =>
  html`<tr role="row">
    <th scope="row" role="rowheader">
      <a href="${url}" rel="noreferrer">${name}</a>
      <div class="quiet">${by}</div>
    </th>
    <td role="cell" data-label="${takes}">${gives}</td>
    <td role="cell" data-label="${terms}">${licence}${notice ? html`<div class="quiet">${notice}</div>` : ''}</td>
  </tr>`

/** Sources of Earshot, their terms, and the notices that those ask for. */
export async function sourcesPage(env: Env) {
  const { sources } = await readBuilt(env)
  return showPage(env, {
    title: 'Sources and licences',
    description: 'Sources of Earshot, what it takes from each, and under which terms.',
    path: '/sources',
    cache_seconds: cacheSeconds,
    head: html`<meta name="robots" content="index" />`,
    body: html`<h1>Sources and licences</h1>
      <p class="lead">
        Earshot puts together what others find out and publish. Each record names the sources of what it says; here
        stand their authors and terms. Which of them this installation reads, and how fresh they are, says
        <a href="/status">Status</a>.
      </p>
      <div class="scroll card" role="region" aria-label="Sources" tabindex="0">
        <table class="texts stacks" role="table">
          <thead role="rowgroup">
            <tr role="row">
              ${['Source', takes, terms].map((column) => html`<th scope="col" role="columnheader">${column}</th>`)}
            </tr>
          </thead>
          <tbody role="rowgroup">
            ${sources.map(showSource)}
          </tbody>
        </table>
      </div>`,
  })
}
